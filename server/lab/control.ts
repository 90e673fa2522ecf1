import type { Counters } from './counters.ts'
import { type LabNamespace, type LabNamespaces, setScenario } from './namespaces.ts'
import { type Playbooks, storePlaybook } from './playbooks.ts'

const PLAYBOOK_PATH = /\/control\/playbooks\/([\w-]{1,64})$/
const CONTROL_PATH = /\/control(?:\/lanes\/([\w-]+))?\/?$/

export interface ControlState {
  readonly counters: Counters
  readonly namespaces: LabNamespaces
  readonly playbooks: Playbooks
}

/** Serves `/control`, `/control/lanes/NAME` and `/control/playbooks/NAME`. Returns undefined for any other path. */
export function control(request: Request, path: string, state: ControlState): Promise<Response> | undefined {
  if (!path.includes('/control')) return undefined
  const playbookName = PLAYBOOK_PATH.exec(path)?.[1]
  if (playbookName !== undefined) return controlPlaybook(request, playbookName, state)
  const match = CONTROL_PATH.exec(path)
  if (!match) return undefined
  return match[1] === undefined ? controlLab(request, state) : controlNamespace(request, match[1], state)
}

async function controlLab(
  request: Request,
  { counters, namespaces, playbooks }: ControlState,
): Promise<Response> {
  if (request.method === 'DELETE') {
    counters.reset()
    namespaces.clear()
    playbooks.clear()
  }
  const states = [...namespaces.all()].map(([name, namespace]) => [name, namespaceState(namespace)] as const)
  return Response.json({ ...counters.read(), lanes: Object.fromEntries(states) })
}

async function controlPlaybook(
  request: Request,
  name: string,
  { playbooks }: ControlState,
): Promise<Response> {
  if (request.method !== 'PUT') return Response.json(playbooks.get(name) ?? null)
  const problem = storePlaybook(playbooks, name, await request.json().catch(() => undefined))
  return problem === undefined ? Response.json({ name }) : Response.json({ error: problem }, { status: 400 })
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
