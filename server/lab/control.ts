import type { Counters } from './counters.ts'
import { type LabNamespace, type LabNamespaces, setScenario } from './namespaces.ts'

const CONTROL_PATH = /\/control(?:\/lanes\/([\w-]+))?\/?$/

export interface ControlState {
  readonly counters: Counters
  readonly namespaces: LabNamespaces
}

/** Serves `/control` and `/control/lanes/NAME`. Returns undefined for any other path. */
export function control(request: Request, path: string, state: ControlState): Promise<Response> | undefined {
  if (!path.includes('/control')) return undefined
  const match = CONTROL_PATH.exec(path)
  if (!match) return undefined
  return match[1] === undefined ? controlLab(request, state) : controlNamespace(request, match[1], state)
}

async function controlLab(request: Request, { counters, namespaces }: ControlState): Promise<Response> {
  if (request.method === 'DELETE') {
    counters.reset()
    namespaces.clear()
  }
  const states = [...namespaces.all()].map(([name, namespace]) => [name, namespaceState(namespace)] as const)
  return Response.json({ ...counters.read(), lanes: Object.fromEntries(states) })
}

async function controlNamespace(
  request: Request,
  name: string,
  { namespaces }: ControlState,
): Promise<Response> {
  const namespace = namespaces.find(name)
  if (!namespace)
    return Response.json(
      { error: 'the lab has too many namespaces; DELETE /control removes them' },
      { status: 409 },
    )
  const problem = request.method === 'PUT' ? setScenario(namespace, (await request.text()).trim()) : undefined
  if (problem) return Response.json({ error: problem }, { status: 400 })
  return Response.json(namespaceState(namespace))
}

const namespaceState = (namespace: LabNamespace) => ({
  script: namespace.scenario,
  ...namespace.counters.read(),
  last: namespace.last ?? null,
})
