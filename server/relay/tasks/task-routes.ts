import { drawing } from './drawing/drawing.ts'
import { DRAWING_KINDS } from './drawing/read-drawing.ts'
import { music } from './music/music.ts'
import type { TaskPlatform } from './platform.ts'

type TaskWork = 'submit' | 'fetch' | 'list' | 'image-seed' | 'picture' | 'notice'

interface TaskRoute {
  readonly method: 'GET' | 'POST'
  readonly path: RegExp
  readonly platform: TaskPlatform
  readonly work: TaskWork
}

export interface MatchedTaskRoute extends TaskRoute {
  /** What is to be done, of a submission. */
  readonly kind: string
  /** A task's id, or of a notice the request that submitted it. */
  readonly id: string
  /** Of a notice. */
  readonly signature: string
  /** The speed that the address asks for: `fast`, `relax`, `turbo`; else empty. */
  readonly mode: string
}

const TASK_PATH = /^\/(mj|suno|mj-(?:fast|relax|turbo)\/mj)(\/|$)/
const MODE = /^\/mj-(?<mode>fast|relax|turbo)(?=\/mj\/)/

const routes: readonly TaskRoute[] = [
  {
    method: 'POST',
    path: new RegExp(`^/mj/submit/(?<kind>${DRAWING_KINDS.join('|')})$`),
    platform: drawing,
    work: 'submit',
  },
  { method: 'POST', path: /^\/mj\/insight-face\/(?<kind>swap)$/, platform: drawing, work: 'submit' },
  { method: 'GET', path: /^\/mj\/task\/(?<id>[^/]+)\/fetch$/, platform: drawing, work: 'fetch' },
  { method: 'GET', path: /^\/mj\/task\/(?<id>[^/]+)\/image-seed$/, platform: drawing, work: 'image-seed' },
  { method: 'POST', path: /^\/mj\/task\/list-by-condition$/, platform: drawing, work: 'list' },
  { method: 'GET', path: /^\/mj\/image\/(?<id>[^/]+)$/, platform: drawing, work: 'picture' },
  {
    method: 'POST',
    path: /^\/mj\/notify(?:\/(?<id>[^/]+)\/(?<signature>[^/]+))?$/,
    platform: drawing,
    work: 'notice',
  },
  { method: 'POST', path: /^\/suno\/submit\/(?<kind>[^/]+)$/, platform: music, work: 'submit' },
  { method: 'POST', path: /^\/suno\/fetch$/, platform: music, work: 'list' },
  { method: 'GET', path: /^\/suno\/fetch\/(?<id>[^/]+)$/, platform: music, work: 'fetch' },
]

export const isTaskPath = (pathname: string): boolean => TASK_PATH.test(pathname)

/** The route behind an address; a trailing slash does not matter, and the speed may stand before it. */
export function findTaskRoute(method: string, pathname: string): MatchedTaskRoute | undefined {
  const mode = MODE.exec(pathname)?.groups?.mode ?? ''
  const path = pathname.replace(MODE, '').replace(/\/$/, '')
  for (const route of routes) {
    const match = route.method === method ? route.path.exec(path) : null
    if (!match) continue
    const { kind = '', id = '', signature = '' } = match.groups ?? {}
    return { ...route, kind, id: decoded(id), signature, mode }
  }
  return undefined
}

/** What cannot be decoded is left as it is: no task has that id. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
