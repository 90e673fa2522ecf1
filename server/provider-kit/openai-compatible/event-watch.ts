import type { Usage } from '../../core/usage.ts'
import type { JsonObject } from '../chat.ts'
import type { StreamReader } from '../exchange.ts'
import { isObject, parseJson } from '../json.ts'
import { notJsonFailure, readHiddenFailure } from '../read-failure.ts'

interface Watched {
  /** The event after which nothing of worth follows. It holds the usage. */
  readonly isLast: (event: JsonObject) => boolean
  readonly usageOf: (event: JsonObject) => Usage | undefined
}

/** Looks for usage and failures in events that are passed on as they come. */
export function openEventWatch({ isLast, usageOf }: Watched): StreamReader<never> {
  let usage: Usage | undefined
  let isComplete = false
  return {
    read({ data }) {
      if (data === '' || data === '[DONE]') return []
      const event = parseJson(data)
      if (!isObject(event)) return [{ type: 'failure', failure: notJsonFailure() }]
      if (isError(event)) return [{ type: 'failure', failure: readHiddenFailure(toError(event)) }]
      if (!isLast(event)) return []
      usage = usageOf(event)
      isComplete = true
      return []
    },
    end: () => ({ chunks: [], usage, isComplete }),
  }
}

const isError = ({ type, error }: JsonObject): boolean => Boolean(error) || type === 'error'
const toError = (event: JsonObject): JsonObject => (event.error ? event : { error: event })
