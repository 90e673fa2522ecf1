import { userInfo } from 'node:os'
import type { ProgramChange } from '../api/events.ts'
import { createSecrets } from '../core/crypto.ts'
import type { CommandContext } from '../feature.ts'

interface CommandChange extends Pick<ProgramChange, 'db' | 'record' | 'rows' | 'input'> {
  readonly command: string
  readonly secretKey: string
}

/** Does the work of a command and leaves its row in the audit log, in the same transaction where `db` is one. */
export async function recordCommand<T>(
  { command, secretKey, ...change }: CommandChange,
  { events, options }: Pick<CommandContext, 'events' | 'options'>,
  work: () => Promise<T>,
): Promise<T> {
  const { ended } = await events.changeStarted({
    ...change,
    secrets: createSecrets(secretKey),
    options,
    credential: 'command',
    actorName: accountName(),
    action: `tollgate ${command}`,
  })
  const result = await work()
  await ended({ code: '' })
  return result
}

/** Empty where the account of the operating system has no name, as in some containers. */
function accountName(): string {
  try {
    return userInfo().username
  } catch {
    return ''
  }
}
