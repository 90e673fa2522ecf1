const LINE_END = /\r\n|\n|\r/
const FIELD = /^data: ?(.*)$/

/** The `data` of each server-sent event. Format: html.spec.whatwg.org, "Parsing an event stream". */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let fields: string[] = []
  for await (const line of readLines(body)) {
    const field = FIELD.exec(line)?.[1]
    if (field !== undefined) fields.push(field)
    if (line !== '' || fields.length === 0) continue
    yield fields.join('\n')
    fields = []
  }
}

async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { value, done } = await reader.read()
      const { lines, open } = splitLines(rest + decoder.decode(value, { stream: !done }), done)
      rest = open
      yield* lines
      if (done) return
    }
  } finally {
    await reader.cancel()
  }
}

interface Split {
  readonly lines: readonly string[]
  readonly open: string
}

/** Splits complete lines off. A trailing `\r` may be half of `\r\n`, so it is kept until more bytes arrive. */
function splitLines(text: string, isEnd: boolean): Split {
  const held = !isEnd && text.endsWith('\r') ? '\r' : ''
  const parts = text.slice(0, text.length - held.length).split(LINE_END)
  const open = parts.pop() ?? ''
  return { lines: parts, open: open + held }
}
