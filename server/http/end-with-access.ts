import type { LiveCall } from '../relay/request/client-presence.ts'
import type { RequestIdentity } from './authenticate.ts'

/** Breaks a response off when the session or access token of its caller ends: the client sees that it is incomplete. */
export function endWithAccess(
  response: Response,
  { credentialHash }: Pick<RequestIdentity, 'credentialHash'>,
  openCalls: Set<LiveCall>,
): Response {
  if (!response.body || credentialHash === undefined) return response
  const reader = response.body.getReader()
  let call: LiveCall | undefined
  const end = async (reason: unknown): Promise<void> => {
    if (call) openCalls.delete(call)
    await reader.cancel(reason).catch(() => undefined)
  }
  const begin = (controller: ReadableStreamDefaultController): LiveCall => ({
    caller: { token: undefined, sessionHash: credentialHash },
    connection: { clientIp: () => '' },
    revoke(reason) {
      controller.error(reason)
      void end(reason)
    },
  })
  const source: UnderlyingDefaultSource<Uint8Array> = {
    async pull(controller) {
      // Not before somebody reads, which nobody does after a HEAD.
      call ??= begin(controller)
      openCalls.add(call)
      const { done, value } = await reader.read().catch(async (error: unknown) => {
        await end(error)
        throw error
      })
      if (!openCalls.has(call)) return
      if (value) controller.enqueue(value)
      if (done) controller.close()
      if (done) openCalls.delete(call)
    },
    cancel: end,
  }
  return new Response(new ReadableStream(source, { highWaterMark: 0 }), response)
}
