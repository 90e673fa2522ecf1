import type { Agent } from '../agent.ts'
import { driverActions, driverCommand, driverEnvironment } from '../sdk-agent.ts'

/** Source: docs.langchain.com/oss/javascript/langchain/agents */
export const langchain: Agent = {
  name: 'langchain',
  title: 'LangChain',
  packages: [
    { registry: 'npm', name: 'langchain', version: '1.5.14' },
    { registry: 'npm', name: '@langchain/openai', version: '1.6.0' },
    { registry: 'npm', name: 'zod', version: '4.6.7' },
  ],
  otherModels: [],
  lacks: { 'default-model': 'a program names the model' },
  configure: driverEnvironment,
  command: (workspace, turn) => driverCommand('node', 'langchain.mjs', workspace, turn),
  actions: () => ({
    ...driverActions,
    search: query => [{ tool: 'search_web', arguments: { query } }],
  }),
}
