import { expect, test } from 'bun:test'
import { z } from 'zod'
import { endpoint } from '#contract/endpoint.ts'
import { CallError, callUrl, errorText, plainErrorText } from './call.ts'

const one = endpoint({
  method: 'GET',
  path: '/api/thing/:id/',
  role: 'user',
  summary: 'One thing',
  params: z.object({ id: z.number() }),
  query: z.object({ q: z.string(), p: z.number() }),
})

test('fills path params and escapes them', () => {
  expect(callUrl(one, { params: { id: 7 } })).toBe('/api/thing/7/')
  expect(callUrl(one, { params: { id: 'a/b' } })).toBe('/api/thing/a%2Fb/')
})

test('omits empty and undefined query values, but keeps zero', () => {
  expect(callUrl(one, { params: { id: 7 }, query: { q: '', p: 0, x: undefined } })).toBe('/api/thing/7/?p=0')
})

const failed = (status: number) => errorText(new CallError('status', 'HTTP', { status }))

test('describes each failure in the words of the specification', () => {
  expect(failed(429)).toBe('错误：请求次数过多，请稍后重试')
  expect(failed(500)).toBe('错误：服务器内部错误，请联系管理员')
  expect(failed(405)).toBe('本站仅供演示，没有服务端')
  expect(failed(418)).toBe('错误：HTTP')
  expect(errorText(new CallError('refused', '名称已存在', { status: 200 }))).toBe('错误：名称已存在')
  expect(errorText(new CallError('expired', '', { status: 401 }))).toBe('未登录或登录已过期，请重新登录')
  expect(errorText(new CallError('offline', ''))).toBe('Unable to connect to server')
})

test('shows a rejection inside a form as the server sent it', () => {
  expect(plainErrorText(new CallError('refused', '名称已存在'))).toBe('名称已存在')
  expect(plainErrorText(new CallError('status', '', { status: 429 }))).toBe('错误：请求次数过多，请稍后重试')
})
