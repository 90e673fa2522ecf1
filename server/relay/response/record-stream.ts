import { asObject, isObject, type JsonObject, parseJson } from '../../provider-kit/json.ts'
import type { Recording } from '../hooks.ts'
import type { StreamPart, StreamSource } from './stream-response.ts'

/** Records the response that the last event of the stream repeats, before the stream ends. */
export function recordStream(source: StreamSource, recording: Recording): StreamSource {
  recording.begin()
  let lastText = ''
  return {
    async next() {
      const part = await source.next()
      // The last event of a provider precedes the end of its stream.
      lastText = textOf(part) || lastText
      if (part.isLast) await recordLast(lastText, recording)
      return part
    },
    async cancel() {
      await source.cancel()
      await recording.drop()
    },
  }
}

const textOf = (part: StreamPart): string => ('text' in part ? part.text : '')

async function recordLast(events: string, recording: Recording): Promise<void> {
  const response = readLastResponse(events)
  await (response ? recording.complete(response) : recording.drop())
}

const DATA = /^data: ?/

/** The data of an event has one line. */
function readLastResponse(events: string): JsonObject | undefined {
  const line = events.split('\n').findLast(text => DATA.test(text)) ?? ''
  const { response } = asObject(parseJson(line.replace(DATA, '')))
  return isObject(response) ? response : undefined
}
