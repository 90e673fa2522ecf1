import type { Counters } from './counters.ts'
import { type Lanes, setScript } from './lanes.ts'

const CONTROL_PATH = /\/control(?:\/lanes\/([\w-]+))?\/?$/

export interface ControlState {
  readonly counters: Counters
  readonly lanes: Lanes
}

/** Answers `/control` and `/control/lanes/NAME`; undefined for any other path. */
export function control(request: Request, path: string, state: ControlState): Promise<Response> | undefined {
  if (!path.includes('/control')) return undefined
  const match = CONTROL_PATH.exec(path)
  if (!match) return undefined
  return match[1] === undefined ? onLab(request, state) : onLane(request, match[1], state)
}

async function onLab(request: Request, { counters, lanes }: ControlState): Promise<Response> {
  if (request.method === 'DELETE') {
    counters.reset()
    lanes.clear()
  }
  const perLane = [...lanes.all()].map(([name, lane]) => [name, laneState(lane)] as const)
  return Response.json({ ...counters.read(), lanes: Object.fromEntries(perLane) })
}

async function onLane(request: Request, name: string, { lanes }: ControlState): Promise<Response> {
  const lane = lanes.find(name)
  if (!lane) return Response.json({ error: 'the lab has no room for another lane' }, { status: 409 })
  const problem = request.method === 'PUT' ? setScript(lane, (await request.text()).trim()) : undefined
  if (problem) return Response.json({ error: problem }, { status: 400 })
  return Response.json(laneState(lane))
}

const laneState = (lane: NonNullable<ReturnType<Lanes['find']>>) => ({
  script: lane.script,
  ...lane.counters.read(),
  last: lane.last ?? null,
})
