import type { Language } from '../../core/language.ts'
import type { TaskDeps, TaskPlatform } from './platform.ts'

/** `task`: creates one. `task lookup`: reads the caller's own. `public task`: needs no API key. */
type TaskRouteType = 'task' | 'task lookup' | 'public task'

type TaskWork = 'submit' | 'fetch' | 'list' | 'image-seed' | 'notification'

/** Responds to anyone. `id`: as the path names it. */
type PublicTask = (id: string, language: Language, deps: TaskDeps) => Promise<Response>

/** A path of a task platform. */
export interface TaskPath {
  readonly method: 'GET' | 'POST'
  /** With the optional groups `kind`, `id`, `signature` and `mode`. */
  readonly path: RegExp
  readonly platform: TaskPlatform
  readonly work: TaskWork | PublicTask
}

export interface TaskRoute extends TaskPath {
  readonly type: TaskRouteType
  readonly auth: 'token'
  /** For errors that the platform has no words for. */
  readonly dialect: 'openai'
  /** The action of a submission, as the path names it. */
  readonly kind: string
  /** The id of a task; in a notification, of the request that submitted it. */
  readonly id: string
  /** The signature of a notification. */
  readonly signature: string
  /** The speed that the path requests: `fast`, `relax`, `turbo`; otherwise empty. */
  readonly mode: string
}

const TYPE_OF_WORK: Readonly<Record<TaskWork, TaskRouteType>> = {
  submit: 'task',
  fetch: 'task lookup',
  list: 'task lookup',
  'image-seed': 'task lookup',
  notification: 'public task',
}

/** Finds the route of a path, with or without a trailing slash. */
export function findTaskRoute(
  method: string,
  pathname: string,
  paths: readonly TaskPath[],
): TaskRoute | undefined {
  const path = pathname.replace(/\/$/, '')
  for (const candidate of paths) {
    const match = candidate.method === method ? candidate.path.exec(path) : null
    if (!match) continue
    const { kind = '', id = '', signature = '', mode = '' } = match.groups ?? {}
    const type = typeof candidate.work === 'function' ? 'public task' : TYPE_OF_WORK[candidate.work]
    return { ...candidate, type, auth: 'token', dialect: 'openai', kind, id: decode(id), signature, mode }
  }
  return undefined
}

/** An id that cannot be decoded stays as it is, since no task has it. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
