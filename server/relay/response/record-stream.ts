import { asObject, isObject, type JsonObject, parseJson } from '../../provider-kit/json.ts'
import type { Recording } from '../hooks.ts'
import type { StreamPart, StreamSource } from './stream-response.ts'

/** Records the response before the stream ends: as its last event repeats it, or as it was collected. */
export function recordStream(source: StreamSource, recording: Recording): StreamSource {
  recording.begin()
  const { collector } = recording
  let lastText = ''
  return {
    async next() {
      const part = await source.next()
      const text = textOf(part)
      if (collector) for (const data of dataLines(text)) collector.add(readEvent(data))
      // The last event of a provider precedes the end of its stream.
      lastText = text || lastText
      if (part.isLast) {
        const { response } = collector ?? readEvent(dataLines(lastText).at(-1))
        await (isObject(response) ? recording.complete(response) : recording.drop())
      }
      return part
    },
    async cancel() {
      await source.cancel()
      await recording.drop()
    },
  }
}

const textOf = (part: StreamPart): string => ('text' in part ? part.text : '')

const DATA = /^data: ?/

/** The data of an event has one line. */
const dataLines = (events: string): readonly string[] => events.split('\n').filter(line => DATA.test(line))

const readEvent = (line = ''): JsonObject => asObject(parseJson(line.replace(DATA, '')))
