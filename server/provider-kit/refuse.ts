import { GatewayError } from '../core/errors.ts'

/** Throws a GatewayError `invalid_request`: for what a client asks that the vendor cannot be asked. */
export function refuse(place: string, found: string, needed: string): never {
  throw new GatewayError('invalid_request', `${place}: found ${found}, needed ${needed}`)
}
