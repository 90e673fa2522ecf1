import { asObject, isObject, type JsonObject, parseJson } from '../../provider-kit/json.ts'
import type { ResponseRecording } from '../stored-responses/response-recording.ts'
import type { StreamPart, StreamSource } from './stream-response.ts'

/** Stores the response that the last event of the stream repeats, before the client receives the event. */
export function recordStream(
  source: StreamSource,
  recording: Pick<ResponseRecording, 'begin' | 'complete' | 'drop'>,
): StreamSource {
  recording.begin()
  return {
    async next() {
      const part = await source.next()
      if (part.isLast) await recordLast(part, recording)
      return part
    },
    async cancel() {
      await source.cancel()
      await recording.drop()
    },
  }
}

async function recordLast(
  part: StreamPart,
  recording: Pick<ResponseRecording, 'complete' | 'drop'>,
): Promise<void> {
  const response = 'text' in part ? readLastResponse(part.text) : undefined
  await (response ? recording.complete(response) : recording.drop())
}

const DATA = 'data: '

function readLastResponse(events: string): JsonObject | undefined {
  const data = events.slice(events.lastIndexOf(DATA) + DATA.length)
  const { response } = asObject(parseJson(data))
  return isObject(response) ? response : undefined
}
