import type { TaskPath } from '#server/relay/tasks/task-routes.ts'
import { DRAWING_ACTIONS, drawing, proxyImage } from './drawing.ts'

/** Every path may name the speed in front. */
const at = (path: string): RegExp => new RegExp(`^(?:/mj-(?<mode>fast|relax|turbo))?/mj${path}$`)

export const taskPaths: readonly TaskPath[] = [
  {
    method: 'POST',
    path: at(`/submit/(?<kind>${DRAWING_ACTIONS.join('|')})`),
    platform: drawing,
    work: 'submit',
  },
  { method: 'POST', path: at('/insight-face/(?<kind>swap)'), platform: drawing, work: 'submit' },
  { method: 'GET', path: at('/task/(?<id>[^/]+)/fetch'), platform: drawing, work: 'fetch' },
  { method: 'GET', path: at('/task/(?<id>[^/]+)/image-seed'), platform: drawing, work: 'image-seed' },
  { method: 'POST', path: at('/task/list-by-condition'), platform: drawing, work: 'list' },
  { method: 'GET', path: at('/image/(?<id>[^/]+)'), platform: drawing, work: proxyImage },
  {
    method: 'POST',
    path: at('/notify(?:/(?<id>[^/]+)/(?<signature>[^/]+))?'),
    platform: drawing,
    work: 'notification',
  },
]
