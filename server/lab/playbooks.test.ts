import { describe, expect, test } from 'bun:test'
import { createLab, type Lab } from './open-lab.ts'

const HEADERS = {
  authorization: 'Bearer k',
  'x-api-key': 'k',
  'x-goog-api-key': 'k',
  'anthropic-version': '2023-06-01',
}
const PLAYBOOK = {
  turns: [
    {
      text: 'Two files first.',
      calls: [
        { tool: 'write', arguments: { file: 'one' } },
        { tool: 'write', arguments: { file: 'two' } },
      ],
    },
    { text: 'Both files are written.' },
  ],
}
const SCHEMA = { type: 'object', properties: { file: { type: 'string' } } }

async function labWithPlaybook(): Promise<Lab> {
  const lab = createLab()
  await lab.fetch(
    new Request('http://lab/control/playbooks/two-files', { method: 'PUT', body: JSON.stringify(PLAYBOOK) }),
  )
  return lab
}

async function ask(lab: Lab, path: string, body: object) {
  const request = new Request(`http://lab${path}`, {
    method: 'POST',
    headers: HEADERS,
    body: JSON.stringify(body),
  })
  return (await lab.fetch(request)).json()
}

const PROMPT = 'Please run [playbook:two-files].'
const chatTools = [{ type: 'function', function: { name: 'write', parameters: SCHEMA } }]

describe('a playbook', () => {
  test('decides text and calls of a chat completion, and continues when every call has a result', async () => {
    const lab = await labWithPlaybook()
    const messages: object[] = [{ role: 'user', content: PROMPT }]
    const first = await ask(lab, '/v1/chat/completions', { model: 'lab', messages, tools: chatTools })
    const { message, finish_reason } = first.choices[0]
    expect([message.content, finish_reason]).toEqual(['Two files first.', 'tool_calls'])
    expect(message.tool_calls.map((call: { function: object }) => call.function)).toEqual([
      { name: 'write', arguments: '{"file":"one"}' },
      { name: 'write', arguments: '{"file":"two"}' },
    ])
    for (const { id } of message.tool_calls) messages.push({ role: 'tool', tool_call_id: id, content: 'ok' })
    messages.splice(1, 0, message)
    const second = await ask(lab, '/v1/chat/completions', { model: 'lab', messages, tools: chatTools })
    expect(second.choices[0].message.content).toBe('Both files are written.')
    expect(second.id).not.toBe(first.id)
  })

  test('sends one call at a time to a client that allows no parallel calls', async () => {
    const lab = await labWithPlaybook()
    const messages: object[] = [{ role: 'user', content: PROMPT }]
    const body = { model: 'lab', messages, tools: chatTools, parallel_tool_calls: false }
    const { message } = (await ask(lab, '/v1/chat/completions', body)).choices[0]
    expect(message.tool_calls).toHaveLength(1)
    messages.push(message, { role: 'tool', tool_call_id: message.tool_calls[0].id, content: 'ok' })
    const next = (await ask(lab, '/v1/chat/completions', body)).choices[0].message
    expect(next.tool_calls[0].function.arguments).toBe('{"file":"two"}')
  })

  test('decides text and calls of a message, a response and a generated content', async () => {
    const lab = await labWithPlaybook()
    const message = await ask(lab, '/v1/messages', {
      model: 'lab',
      max_tokens: 100,
      messages: [{ role: 'user', content: [{ type: 'text', text: PROMPT }] }],
      tools: [{ name: 'write', input_schema: SCHEMA }],
    })
    expect(message.content.map((block: { input?: object }) => block.input)).toEqual([
      undefined,
      { file: 'one' },
      { file: 'two' },
    ])
    const tools = [{ type: 'function', name: 'write', parameters: SCHEMA }]
    const response = await ask(lab, '/v1/responses', { model: 'lab', input: PROMPT, tools })
    const [, one, two] = response.output
    expect([one.arguments, two.arguments]).toEqual(['{"file":"one"}', '{"file":"two"}'])
    const results = [one, two].map(({ call_id }) => ({ type: 'function_call_output', call_id, output: 'ok' }))
    const next = { model: 'lab', input: results, tools, previous_response_id: response.id }
    expect((await ask(lab, '/v1/responses', next)).output[0].content[0].text).toBe('Both files are written.')
    const content = await ask(lab, '/v1beta/models/lab:generateContent', {
      contents: [{ role: 'user', parts: [{ text: PROMPT }] }],
      tools: [{ functionDeclarations: [{ name: 'write', parameters: SCHEMA }] }],
    })
    const parts: { functionCall?: { args: object } }[] = content.candidates[0].content.parts
    expect(parts.map(part => part.functionCall?.args)).toEqual([undefined, { file: 'one' }, { file: 'two' }])
  })

  test('gives its last turn to a request without the tools, such as one for a title', async () => {
    const body = { model: 'lab', messages: [{ role: 'user', content: PROMPT }] }
    const { choices } = await ask(await labWithPlaybook(), '/v1/chat/completions', body)
    expect(choices[0].message.content).toBe('Both files are written.')
  })

  test('is rejected when it is invalid, and named when it is unknown', async () => {
    const lab = createLab()
    const put = new Request('http://lab/control/playbooks/bad', { method: 'PUT', body: '{"turns":[]}' })
    expect((await lab.fetch(put)).status).toBe(400)
    const body = { model: 'lab', messages: [{ role: 'user', content: '[playbook:bad]' }] }
    expect((await ask(lab, '/v1/chat/completions', body)).error.message).toContain("no playbook 'bad'")
  })
})
