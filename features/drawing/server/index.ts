import { defineFeature } from '#server/feature.ts'
import { taskPaths } from '#server/relay/tasks/task-operations.ts'
import { respondWithTask, respondWithTasks } from '#server/relay/tasks/task-responses.ts'
import { routes } from './api/index.ts'
import { DRAWING_ACTIONS, drawing, proxyImage } from './drawing.ts'
import { respondWithImageSeed } from './image-seed.ts'
import { receiveNotification } from './notifications.ts'

/** Every path may name the speed in front. */
const at = (path: string): RegExp => new RegExp(`^(?:/mj-(?<mode>fast|relax|turbo))?/mj${path}$`)

const { submit, lookUp, publish } = taskPaths(drawing)

const paths = [
  submit(at(`/submit/(?<kind>${DRAWING_ACTIONS.join('|')})`)),
  submit(at('/insight-face/(?<kind>swap)')),
  lookUp('GET', at('/task/(?<id>[^/]+)/fetch'), respondWithTask),
  lookUp('GET', at('/task/(?<id>[^/]+)/image-seed'), respondWithImageSeed),
  lookUp('POST', at('/task/list-by-condition'), respondWithTasks),
  publish('GET', at('/image/(?<id>[^/]+)'), proxyImage),
  publish('POST', at('/notify(?:/(?<id>[^/]+)/(?<signature>[^/]+))?'), receiveNotification),
]

export const feature = defineFeature({ start: () => ({ routes, paths }) })
