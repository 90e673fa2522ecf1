import { toHandle } from '../../provider-kit/account-handle.ts'
import type { AccountHandles } from '../../provider-kit/contract/operation-adapter.ts'
import type { ActiveRequest } from '../types.ts'

/** The handles of signed reasoning, for clients that will send it back as encrypted content. */
export const signatureHandles = (
  { client }: Pick<ActiveRequest, 'client'>,
  signatures: readonly string[],
): AccountHandles => (client.readAccountReferences ? signatures.map(toHandle) : [])
