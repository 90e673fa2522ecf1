/** A body of about so many bytes, as a client of a dialect sends it. */
export type Shape = (bytes: number) => object

const times = <Item>(count: number, make: (index: number) => Item): readonly Item[] =>
  Array.from({ length: Math.max(1, Math.round(count)) }, (_, index) => make(index))

/** How clients of a dialect write what a body may have much of. */
interface BodyFormat {
  text(text: string): object
  messages(count: number): object
  parts(count: number): object
  calls(count: number): object
  tools(schemas: readonly object[]): object
  format(schema: object): object
}

const functions = (schemas: readonly object[]) =>
  schemas.map((parameters, index) => ({ name: `tool_${index}`, description: 'A tool', parameters }))

const base = { model: 'm', max_tokens: 100 }
const ask = { role: 'user', content: 'Hi' }
const textParts = (count: number) => ({
  ...base,
  messages: [{ role: 'user', content: times(count, index => ({ type: 'text', text: `p${index}` })) }],
})
const callId = (index: number) => `call.${index}`

export const DIALECTS = ['openai', 'anthropic', 'responses', 'gemini'] as const

export const FORMATS: Readonly<Record<(typeof DIALECTS)[number], BodyFormat>> = {
  openai: {
    text: text => ({ ...base, messages: [{ role: 'user', content: text }] }),
    messages: count => ({
      ...base,
      messages: times(count, index => ({
        role: ['user', 'assistant', 'system'][index % 3],
        content: `m${index}`,
      })),
    }),
    parts: textParts,
    calls: count => ({
      ...base,
      messages: [
        ask,
        ...times(count, index => [
          {
            role: 'assistant',
            content: null,
            tool_calls: [
              {
                id: callId(index),
                type: 'function',
                function: { name: `tool.${index}`, arguments: '{"a":1}' },
              },
            ],
          },
          { role: 'tool', tool_call_id: callId(index), content: '{"b":2}' },
        ]).flat(),
      ],
    }),
    tools: schemas => ({
      ...base,
      messages: [ask],
      tools: functions(schemas).map(inner => ({ type: 'function', function: inner })),
    }),
    format: schema => ({
      ...base,
      messages: [ask],
      response_format: { type: 'json_schema', json_schema: { name: 'f', schema } },
    }),
  },
  anthropic: {
    text: text => ({ ...base, messages: [{ role: 'user', content: text }] }),
    messages: count => ({
      ...base,
      messages: times(count, index => ({ role: index % 2 ? 'assistant' : 'user', content: `m${index}` })),
    }),
    parts: textParts,
    calls: count => ({
      ...base,
      messages: [
        ask,
        ...times(count, index => [
          {
            role: 'assistant',
            content: [{ type: 'tool_use', id: callId(index), name: `tool_${index}`, input: { a: 1 } }],
          },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: callId(index), content: 'ok' }] },
        ]).flat(),
      ],
    }),
    tools: schemas => ({
      ...base,
      messages: [ask],
      tools: functions(schemas).map(({ parameters, ...tool }) => ({ ...tool, input_schema: parameters })),
    }),
    format: schema => ({
      ...base,
      messages: [ask],
      output_config: { format: { type: 'json_schema', schema } },
    }),
  },
  responses: {
    text: text => ({ model: 'm', input: text }),
    messages: count => ({
      model: 'm',
      input: times(count, index => ({ role: index % 2 ? 'assistant' : 'user', content: `m${index}` })),
    }),
    parts: count => ({
      model: 'm',
      input: [{ role: 'user', content: times(count, index => ({ type: 'input_text', text: `p${index}` })) }],
    }),
    calls: count => ({
      model: 'm',
      input: [
        ask,
        ...times(count, index => [
          { type: 'function_call', call_id: callId(index), name: `tool.${index}`, arguments: '{"a":1}' },
          { type: 'function_call_output', call_id: callId(index), output: 'ok' },
        ]).flat(),
      ],
    }),
    tools: schemas => ({
      model: 'm',
      input: 'Hi',
      tools: functions(schemas).map(tool => ({ ...tool, type: 'function', strict: false })),
    }),
    format: schema => ({
      model: 'm',
      input: 'Hi',
      text: { format: { type: 'json_schema', name: 'f', schema } },
    }),
  },
  gemini: {
    text: text => ({ contents: [{ role: 'user', parts: [{ text }] }] }),
    messages: count => ({
      contents: times(count, index => ({
        role: index % 2 ? 'model' : 'user',
        parts: [{ text: `m${index}` }],
      })),
    }),
    parts: count => ({ contents: [{ role: 'user', parts: times(count, index => ({ text: `p${index}` })) }] }),
    calls: count => ({
      contents: [
        { role: 'user', parts: [{ text: 'Hi' }] },
        ...times(count, index => [
          { role: 'model', parts: [{ functionCall: { name: `tool.${index}`, args: { a: 1 } } }] },
          { role: 'user', parts: [{ functionResponse: { name: `tool.${index}`, response: { b: 2 } } }] },
        ]).flat(),
      ],
    }),
    tools: schemas => ({
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
      tools: [
        {
          functionDeclarations: functions(schemas).map(({ parameters, ...tool }) => ({
            ...tool,
            parametersJsonSchema: parameters,
          })),
        },
      ],
    }),
    format: schema => ({
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
      generationConfig: { responseMimeType: 'application/json', responseJsonSchema: schema },
    }),
  },
}

const STRING = { type: 'string' }
const wide = (count: number) => ({
  type: 'object',
  properties: Object.fromEntries(times(count, index => [`p${index}`, { ...STRING, minLength: 1 }])),
  required: times(count, index => `p${index}`),
})
const listed = (count: number) => ({
  type: 'object',
  properties: {
    a: { enum: times(count, index => `v${index}`) },
    b: { anyOf: times(count, index => ({ const: index })) },
  },
})
const referring = (count: number) => ({
  type: 'object',
  properties: Object.fromEntries(times(count, index => [`p${index}`, { $ref: `#/$defs/d${index}` }])),
  $defs: Object.fromEntries(
    times(count, index => [
      `d${index}`,
      { type: 'object', properties: { next: { $ref: `#/$defs/d${index + 1}` } } },
    ]),
  ),
})
const shared = (count: number) => ({
  type: 'object',
  properties: Object.fromEntries(times(count, index => [`p${index}`, { $ref: '#/$defs/same' }])),
  $defs: { same: wide(8), same2: STRING },
})
const merging = (count: number) => ({ allOf: times(count, index => wide(2 + (index % 2))) })
const deep = (count: number): object => {
  let schema: object = STRING
  for (let depth = 0; depth < Math.min(count, 60); depth += 1)
    schema = { type: 'object', properties: { a: schema, [`x${'y'.repeat(count / 60)}`]: STRING } }
  return schema
}

const TEXTS: Readonly<Record<string, string>> = {
  letters: 'a',
  spaces: ' ',
  lines: '\n',
  backslashes: '\\',
  quotes: '"',
  brackets: '[',
  braces: '{',
  angles: '<',
  slashes: '/',
  equals: '=',
  digits: '7',
  han: '好',
  emoji: '😀',
  'data addresses': 'data:',
  tags: '<think>',
  images: '![a](',
  words: 'lorem ipsum ',
}

/** The longest lists that the formats take. */
const LIST_MAX = 10_000
const TOOLS_MAX = 1_024

export const shapesOf = ({
  text,
  messages,
  parts,
  calls,
  tools,
  format,
}: BodyFormat): Readonly<Record<string, Shape>> => ({
  ...Object.fromEntries(
    Object.entries(TEXTS).map(([name, unit]): [string, Shape] => [
      name,
      bytes => text(unit.repeat(bytes / Buffer.byteLength(unit))),
    ]),
  ),
  messages: bytes => messages(Math.min(bytes / 40, LIST_MAX)),
  parts: bytes => parts(Math.min(bytes / 32, LIST_MAX)),
  calls: bytes => calls(Math.min(bytes / 200, LIST_MAX / 2 - 1)),
  tools: bytes => tools(times(Math.min(bytes / 200, TOOLS_MAX), () => wide(2))),
  'wide tool': bytes => tools([wide(bytes / 60)]),
  'listed tool': bytes => tools([listed(bytes / 30)]),
  'referring tool': bytes => tools([referring(bytes / 100)]),
  'shared tool': bytes => tools([shared(bytes / 40)]),
  'merging tool': bytes => tools([merging(bytes / 150)]),
  'deep tool': bytes => tools([deep(bytes)]),
  'wide format': bytes => format(wide(bytes / 60)),
  'referring format': bytes => format(referring(bytes / 100)),
  'merging format': bytes => format(merging(bytes / 150)),
})
