import { DRAWING_ACTIONS, drawing } from '#features/drawing/server/drawing.ts'
import { music } from '#features/music/server/music.ts'
import type { TaskPlatform } from './platform.ts'

/** `task`: creates one. `task lookup`: reads the caller's own. `public task`: needs no API key. */
type TaskRouteType = 'task' | 'task lookup' | 'public task'

type TaskWork = 'submit' | 'fetch' | 'list' | 'image-seed' | 'image' | 'notification'

interface TaskRouteDefinition {
  readonly method: 'GET' | 'POST'
  readonly path: RegExp
  readonly platform: TaskPlatform
  readonly work: TaskWork
}

export interface TaskRoute extends TaskRouteDefinition {
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
  image: 'public task',
  notification: 'public task',
}

const MODE = /^\/mj-(?<mode>fast|relax|turbo)(?=\/mj\/)/

const routes: readonly TaskRouteDefinition[] = [
  {
    method: 'POST',
    path: new RegExp(`^/mj/submit/(?<kind>${DRAWING_ACTIONS.join('|')})$`),
    platform: drawing,
    work: 'submit',
  },
  { method: 'POST', path: /^\/mj\/insight-face\/(?<kind>swap)$/, platform: drawing, work: 'submit' },
  { method: 'GET', path: /^\/mj\/task\/(?<id>[^/]+)\/fetch$/, platform: drawing, work: 'fetch' },
  { method: 'GET', path: /^\/mj\/task\/(?<id>[^/]+)\/image-seed$/, platform: drawing, work: 'image-seed' },
  { method: 'POST', path: /^\/mj\/task\/list-by-condition$/, platform: drawing, work: 'list' },
  { method: 'GET', path: /^\/mj\/image\/(?<id>[^/]+)$/, platform: drawing, work: 'image' },
  {
    method: 'POST',
    path: /^\/mj\/notify(?:\/(?<id>[^/]+)\/(?<signature>[^/]+))?$/,
    platform: drawing,
    work: 'notification',
  },
  { method: 'POST', path: /^\/suno\/submit\/(?<kind>[^/]+)$/, platform: music, work: 'submit' },
  { method: 'POST', path: /^\/suno\/fetch$/, platform: music, work: 'list' },
  { method: 'GET', path: /^\/suno\/fetch\/(?<id>[^/]+)$/, platform: music, work: 'fetch' },
]

/** Finds the route of a path, with or without a trailing slash and with or without the speed in front. */
export function findTaskRoute(method: string, pathname: string): TaskRoute | undefined {
  const mode = MODE.exec(pathname)?.groups?.mode ?? ''
  const path = pathname.replace(MODE, '').replace(/\/$/, '')
  for (const route of routes) {
    const match = route.method === method ? route.path.exec(path) : null
    if (!match) continue
    const { kind = '', id = '', signature = '' } = match.groups ?? {}
    const type = TYPE_OF_WORK[route.work]
    return { ...route, type, auth: 'token', dialect: 'openai', kind, id: decode(id), signature, mode }
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
