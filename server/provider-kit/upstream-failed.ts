import { GatewayError } from '../core/errors.ts'
import { isObject } from './json.ts'
import { readFailure } from './read-failure.ts'

interface Answer {
  readonly status: number
  readonly json: unknown
}

/** Throws a GatewayError `upstream_failed` with the vendor's sentence, where it has one, and its status where that is an error's. */
export function upstreamFailed(what: string, { status, json }: Answer): never {
  const said = isObject(json) ? `: ${readFailure(status, JSON.stringify(json), new Headers()).message}` : ''
  throw new GatewayError('upstream_failed', `the vendor ${what}${said}`, status >= 400 ? { status } : {})
}
