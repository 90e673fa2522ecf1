import { join } from 'node:path'
import type { Agent } from '../agent.ts'
import { driverActions, driverCommand, driverEnvironment } from '../sdk-agent.ts'

/** Source: ai.pydantic.dev */
export const pydanticAi: Agent = {
  name: 'pydantic-ai',
  title: 'pydantic-ai',
  packages: [
    { registry: 'pypi', name: 'pydantic-ai-slim', version: '2.68.0' },
    { registry: 'pypi', name: 'openai', version: '3.57.0' },
    { registry: 'pypi', name: 'tiktoken', version: '0.14.0' },
  ],
  otherModels: [],
  lacks: { 'default-model': 'a program names the model' },
  configure: driverEnvironment,
  command: (workspace, turn) =>
    driverCommand(join(workspace.clients, 'venv/bin/python'), 'pydantic-ai.py', workspace, turn),
  actions: () => ({ ...driverActions, search: 'hosted' }),
}
