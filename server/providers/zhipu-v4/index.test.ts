import { expect, test } from 'bun:test'
import { toZhipuBody } from './index.ts'

test('says a temperature of 0 as no sampling, and rounds others to two decimals', () => {
  expect(toZhipuBody({ temperature: 0 })).toEqual({ messages: [], do_sample: false })
  expect(toZhipuBody({ temperature: 0.333 })).toEqual({ messages: [], temperature: 0.33 })
})

test.each([[['a', 'b']], ['a']])('stops at one text of %j', stop => {
  expect(toZhipuBody({ stop })).toEqual({ messages: [], stop: ['a'] })
})

test('leaves the choice of tools to the model, or keeps them away from it', () => {
  const tools = [{ type: 'function', function: { name: 'f' } }]
  expect(toZhipuBody({ tools, tool_choice: 'required' })).toMatchObject({ tools, tool_choice: 'auto' })
  expect(toZhipuBody({ tools, tool_choice: 'none' })).toEqual({ messages: [] })
})

test('sends pictures as bare base64, and addresses as they are', () => {
  const image = (url: string) => ({ type: 'image_url', image_url: { url } })
  const sent = toZhipuBody({
    messages: [
      { role: 'user', content: [image('data:image/png;base64,AAAA'), image('https://v.example/a.png')] },
    ],
  })
  expect(sent.messages).toEqual([
    { role: 'user', content: [image('AAAA'), image('https://v.example/a.png')] },
  ])
})
