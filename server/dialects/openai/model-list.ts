import type { ListedModel } from '../../provider-kit/contract/client-dialect.ts'
import type { JsonObject } from '../../provider-kit/json.ts'

/** Clients only check that it is present. This is the date of OpenAI's oldest models. */
const CREATED_SECONDS = 1_626_777_600

/** Codex names its version and reads a catalogue of its own, which other clients do not expect. */
export const writeModelList = (models: readonly ListedModel[], query?: URLSearchParams): JsonObject => ({
  success: true,
  object: 'list',
  data: models.map(writeModel),
  ...(query?.has('client_version') && { models: models.filter(isCatalogued).map(toCodexModel) }),
})

/** Codex knows OpenAI's own models, with instructions that are tuned to them. It assumes a window for any other. */
const isCatalogued = ({ ownedBy, inputTokensMax, isEmbedding }: ListedModel): boolean =>
  ownedBy !== 'openai' && inputTokensMax !== undefined && isEmbedding !== true

/** Codex has no instructions for a model of its catalogue, and requires some. */
const CODEX_INSTRUCTIONS = `You are a coding agent in the Codex CLI. You work with the user in one workspace on their computer until the task is done.

- Read the code that you change first, and follow the conventions of the project and of every AGENTS.md in it.
- Fix the root cause, with the smallest change that does it. Do not touch unrelated code.
- Use apply_patch to edit files, and the shell to search (prefer rg), to build and to test. Verify your work before you report it.
- Never discard changes that you did not make, and do not commit unless the user asks for it.
- Keep a plan for tasks of several steps, and say briefly what you do next.
- End with a short summary of what changed, where, and how you verified it.`

/**
 * An entry of Codex's catalogue, with the fields that it requires. Codex compacts a conversation before the window is full.
 * Source: github.com/openai/codex, codex-rs/protocol/src/openai_models.rs
 */
const toCodexModel = ({ id, inputTokensMax }: ListedModel): JsonObject => ({
  slug: id,
  display_name: id,
  description: null,
  context_window: inputTokensMax,
  supported_reasoning_levels: [],
  default_reasoning_level: null,
  supports_reasoning_summaries: false,
  support_verbosity: false,
  default_verbosity: null,
  shell_type: 'shell_command',
  apply_patch_tool_type: 'freeform',
  supports_parallel_tool_calls: true,
  experimental_supported_tools: [],
  input_modalities: ['text', 'image'],
  truncation_policy: { mode: 'tokens', limit: 10_000 },
  visibility: 'list',
  supported_in_api: true,
  priority: 0,
  availability_nux: null,
  upgrade: null,
  base_instructions: CODEX_INSTRUCTIONS,
})

/**
 * A model object with the permission list of the API's first years. Source:
 * platform.openai.com/docs/api-reference/models/object
 */
export const writeModel = ({ id, ownedBy }: ListedModel): JsonObject => ({
  id,
  object: 'model',
  created: CREATED_SECONDS,
  owned_by: ownedBy,
  permission: [
    {
      id: `modelperm-${id}`,
      object: 'model_permission',
      created: CREATED_SECONDS,
      allow_create_engine: true,
      allow_sampling: true,
      allow_logprobs: true,
      allow_search_indices: false,
      allow_view: true,
      allow_fine_tuning: false,
      organization: '*',
      group: null,
      is_blocking: false,
    },
  ],
  root: id,
  parent: null,
})
