import { z } from 'zod'
import { askParty, type Outside } from './ask-party.ts'

const party = 'Turnstile'
const Told = z.object({ success: z.boolean() })

interface Check {
  readonly secret: string
  /** What the widget gave. */
  readonly response: string
  readonly clientIp: string
}

/** Asks whether a person solved the check, by https://developers.cloudflare.com/turnstile/get-started/server-side-validation/. */
export async function askTurnstile(
  { secret, response, clientIp }: Check,
  url: string,
  outside: Outside,
): Promise<boolean> {
  const body = new URLSearchParams({ secret, response, remoteip: clientIp }).toString()
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const told = Told.safeParse(await askParty({ party, method: 'POST', url, headers, body }, outside))
  return told.success && told.data.success
}
