const LINE_END = /\r\n|\n|\r/
const FIELD = /^data: ?(.*)$/

/** The `data` of each server-sent event. Source of the format: html.spec.whatwg.org, "Parsing an event stream". */
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

/** A line end at the very end may be the first half of one: it waits for more, unless nothing more comes. */
function splitLines(text: string, isEnd: boolean): Split {
  const held = !isEnd && text.endsWith('\r') ? '\r' : ''
  const parts = text.slice(0, text.length - held.length).split(LINE_END)
  const open = parts.pop() ?? ''
  return { lines: parts, open: open + held }
}
