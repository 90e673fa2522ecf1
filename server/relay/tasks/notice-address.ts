import { timingSafeEqual } from 'node:crypto'
import { TASK_NOTICE_PURPOSE } from '../../core/crypto.ts'
import type { RelayContext } from '../relay-context.ts'

/** Where a vendor tells of this task, and of no other. Empty when the public address is not known. */
export function noticeAddress(requestId: string, { secrets, settings }: RelayContext): string {
  const { serverAddress } = settings.current().tasks
  return serverAddress === ''
    ? ''
    : `${serverAddress}/mj/notify/${requestId}/${secrets.hash(TASK_NOTICE_PURPOSE, requestId)}`
}

/** Whether a notice came to the address that was given for this request. */
export function isNoticeSigned(
  requestId: string,
  signature: string,
  { secrets }: Pick<RelayContext, 'secrets'>,
): boolean {
  const expected = Buffer.from(secrets.hash(TASK_NOTICE_PURPOSE, requestId))
  const found = Buffer.from(signature)
  return expected.length === found.length && timingSafeEqual(expected, found)
}
