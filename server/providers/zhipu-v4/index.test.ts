import { expect, test } from 'bun:test'
import { toZhipuBody } from './index.ts'

test('sends a temperature of 0 as no sampling and rounds others to two decimals', () => {
  expect(toZhipuBody({ temperature: 0 })).toEqual({ messages: [], do_sample: false })
  expect(toZhipuBody({ temperature: 0.333 })).toEqual({ messages: [], temperature: 0.33 })
})

test.each([[['a', 'b']], ['a']])('reduces the stop sequences %j to one', stop => {
  expect(toZhipuBody({ stop })).toEqual({ messages: [], stop: ['a'] })
})

test('leaves the tool choice to the model or removes the tools', () => {
  const tools = [{ type: 'function', function: { name: 'f' } }]
  expect(toZhipuBody({ tools, tool_choice: 'required' })).toMatchObject({ tools, tool_choice: 'auto' })
  expect(toZhipuBody({ tools, tool_choice: 'none' })).toEqual({ messages: [] })
})

test('sends images as bare base64 and URLs unchanged', () => {
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
