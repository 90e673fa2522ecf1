import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Agent, NEWER_NODE, withNewerNode } from '../agent.ts'

/** On chat completions. Source: docs/models.md and docs/mcp.md of its package */
export const pi: Agent = {
  name: 'pi',
  title: 'pi',
  packages: [{ registry: 'npm', name: '@earendil-works/pi-coding-agent', version: '1.6.0' }, NEWER_NODE],
  otherModels: [],
  lacks: { compaction: 'these runs do not make it compact' },
  configure({ home, gateway, key, model, usesDefaultModel, mcpServer: [command, ...args] = [''] }) {
    const folder = join(home, '.pi', 'agent')
    mkdirSync(folder, { recursive: true })
    const write = (name: string, json: object): void =>
      writeFileSync(join(folder, name), JSON.stringify(json))
    const models = [{ id: model, input: ['text', 'image'] }]
    const provider = { baseUrl: `${gateway}/v1`, apiKey: key }
    write('models.json', {
      // It has a default among the models of a provider that it knows.
      providers: usesDefaultModel
        ? { openai: provider }
        : { gateway: { ...provider, api: 'openai-completions', models } },
    })
    const exposure = { exposure: 'direct', toolExposure: { '*': 'direct' } }
    if (command) write('mcp.json', { mcpServers: { notes: { command, args, ...exposure } } })
    return { PI_OFFLINE: '1' }
  },
  command: ({ clients, model, usesDefaultModel }, { prompt, isResumed, image }) => [
    ...withNewerNode(clients, 'pi'),
    ...(usesDefaultModel ? [] : ['--model', `gateway/${model}`]),
    ...(isResumed ? ['--continue'] : []),
    '--print',
    ...(image ? [`@${image}`] : []),
    prompt,
  ],
  actions: () => ({
    edit: ({ path, before, after }) => [
      [{ tool: 'edit', arguments: { path, edits: [{ oldText: before, newText: after }] } }],
    ],
    run: command => ({ tool: 'bash', arguments: { command } }),
    delegate: 'it has no nested agents',
    callMcp: (tool, args) => [[{ tool: `mcp__notes__${tool}`, arguments: args }]],
    search: { lacks: 'it searches in no way of its own' },
  }),
}
