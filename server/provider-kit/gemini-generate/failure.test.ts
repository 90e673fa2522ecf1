import { expect, test } from 'bun:test'
import { writeGoogleError } from '../google-error.ts'
import { asObject, type JsonObject } from '../json.ts'
import { readGeminiError, readGeminiFailure } from './failure.ts'
import { createGeminiStreamReader } from './response.ts'

const TYPE = 'type.googleapis.com/google.rpc.'
const quota = (period: string): JsonObject => ({
  '@type': `${TYPE}QuotaFailure`,
  violations: [{ quotaId: `GenerateRequestsPer${period}PerProjectPerModel-FreeTier`, quotaValue: '250' }],
})
const RETRY = { '@type': `${TYPE}RetryInfo`, retryDelay: '37.5s' }
const errorWith = (...details: readonly JsonObject[]): JsonObject => ({
  error: { code: 429, message: 'Resource exhausted', status: 'RESOURCE_EXHAUSTED', details },
})
const READERS = {
  'a response with the status 429': (json: JsonObject) =>
    readGeminiFailure(429, JSON.stringify(json), new Headers()),
  'a list with one error': (json: JsonObject) => readGeminiError([json]),
  'an event of a stream': (json: JsonObject) => {
    const [piece] = createGeminiStreamReader({ requestId: 'r' }).read({ data: JSON.stringify(json), raw: '' })
    if (piece?.type !== 'failure') throw new Error('expected a failure')
    return piece.failure
  },
}

for (const [place, read] of Object.entries(READERS))
  test.each([
    ['Minute', 'PerMinute'],
    ['Day', 'PerDay'],
  ])(
    `${place} tells clients of Gemini how long to wait, and whether the quota of a %s is spent`,
    (period, id) => {
      const failure = read(errorWith(quota(period), RETRY))
      expect(failure).toMatchObject({ status: 429, retryAfterSeconds: 38, code: 'RESOURCE_EXHAUSTED' })
      const [violated, wait] = JSON.parse(
        JSON.stringify(asObject(writeGoogleError(failure, 'r').error).details),
      )
      expect(violated.violations[0].quotaId).toEndWith(id)
      expect(wait).toEqual({ ...RETRY, retryDelay: '38s' })
    },
  )
