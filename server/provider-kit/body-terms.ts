import { GatewayError } from '../core/errors.ts'
import { asArray, asObject, asString, FormFile, isObject, type JsonObject } from './json.ts'

/** A tool that the provider runs itself and charges for, as one request asks for it. */
export interface ServerTool {
  /** The name under which price lists and usage have it. */
  readonly name: string
  /** The entry of `tools`, or the field of the body. */
  readonly entry: JsonObject
}

/** Types of tools that only the client can run, or that only describe others. Any other tool is the provider's. */
export const CLIENT_TYPE =
  /^(function|custom|tool_search(_tool_\w+)?|local_shell|apply_patch|computer|computer_use(_preview\w*)?|(computer|bash|text_editor|memory)_\d{8})$/
const NAMES: readonly (readonly [RegExp, string])[] = [
  [/^(web_search|\$web_search|x_search|google_?search|live_search)/i, 'web_search'],
  [/^(web_fetch|url_?context)/i, 'web_fetch'],
  [/^code_?(interpreter|execution)/i, 'code_interpreter'],
  [/^(file_?search|retrieval|collections_search)/i, 'file_search'],
  [/^google_?maps/i, 'maps'],
]
const NAME_CHARS_MAX = 64
/** An entry of `tools` that is no object. */
export const NO_ENTRY = {}

/** Gemini names its tools by the field of the entry. */
export const CLIENT_FIELD = /^(function_?declarations|computer_?use|tool_?spec)$/i
/** Objects that describe a tool of the client. */
export const DEFINITION_FIELD = /^(function|custom|tool_?spec|function_?declarations)$/i
/** Fields of an entry, or of a body, that name a tool of some provider, under whatever type they stand. */
export const SERVER_FIELD =
  /search|plugin|connector|retriev|mcp|skill|crawl|brows(e|ing)|internet|grounding|fetch|enhancement|multimedia|knowledge|data_?sources|server_?url|tool_?resources|url_?context|maps|code_?(interpreter|execution)|^(container|preset|online|rag|web(_?access)?|(prompt|assistant|agent|workflow|bot)_?id)$/i

/** Fields that make a provider search: of OpenAI and Perplexity, xAI, Alibaba, OpenRouter, and Baidu. */
export const SEARCH_FIELDS = [
  'web_search_options',
  'search_parameters',
  'enable_search',
  'plugins',
  'web_search',
] as const

/** Lists of a body's items, of which some bring tools along. */
export const ITEM_FIELDS: readonly string[] = ['input', 'messages', 'contents']

/** The tools of the provider that a body in any dialect asks for, and that have a price. */
export function readServerTools(body: JsonObject): readonly ServerTool[] {
  const listed = readToolLists(body)
  return [...listed, ...SEARCH_FIELDS.flatMap(field => readSearchField(body, field))]
}

export function readToolLists(body: JsonObject): readonly ServerTool[] {
  const own = body.tools === undefined ? [] : listTools(body.tools).flatMap(toServerTools)
  const old = asArray(body.functions).flatMap(toDefinitionTools)
  return [...own, ...old, ...broughtTools(body).flatMap(toServerTools)]
}

/** The tools that the items of a body bring along. */
export const broughtTools = (body: JsonObject): readonly unknown[] =>
  ITEM_FIELDS.flatMap(field => itemsOf(body[field]).flatMap(toolsOfItem))

/** Lenient servers also take one item without a list, or a list within the list. */
export const itemsOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value)
    ? value.some(Array.isArray)
      ? value.flatMap(item => (Array.isArray(item) ? itemsOf(item) : [item]))
      : value
    : isObject(value)
      ? [value]
      : []

/** Kimi's tools have such names. */
export const isBuiltIn = (tool: unknown): boolean => asString(asObject(tool).name)?.startsWith('$') ?? false

/** The tools that an item of a body brings along: its own, and those that blocks of its content add. */
export function toolsOfItem(item: unknown): readonly unknown[] {
  if (!isObject(item)) return []
  const added = itemsOf(item.content).flatMap(toolsOfBlock)
  return item.tools === undefined ? added : [...listTools(item.tools), ...added]
}

/** Of Claude's blocks that add a tool in mid-conversation, and of compactions that repeat them. */
export function toolsOfBlock(block: unknown): readonly unknown[] {
  if (!isObject(block)) return []
  const { definition } = asObject(block.tool)
  const own =
    definition ?? (block.tools === undefined ? undefined : { type: 'namespace', tools: block.tools })
  const repeated = block.tool_changes === undefined ? [] : asArray(block.tool_changes).flatMap(toolsOfBlock)
  return own === undefined ? repeated : [own, ...repeated]
}

export const TOOL_LIST = /^(tools|functions)$/i

/** Lenient servers also take one tool without a list. */
export const listTools = (tools: unknown): readonly unknown[] =>
  Array.isArray(tools) ? tools : isOff(tools) ? [] : [tools]

export function toServerTools(value: unknown): readonly ServerTool[] {
  if (!isObject(value)) return isOff(value) ? [] : [toTool(asString(value) ?? typeof value, NO_ENTRY)]
  const type = readType(value)
  if (type === 'builtin_function') return [toTool(asString(asObject(value.function).name) ?? type, value)]
  if (type === 'namespace' || isClientTool(type, value)) return toHeldTools(value)
  return type === undefined ? toFieldTools(value) : [toTool(type, value)]
}

/** Of an entry without a type: its fields are its tools. */
function toFieldTools(value: JsonObject): readonly ServerTool[] {
  const named = asString(value.name)
  const fields = Object.entries(value).filter(isServerField)
  const held = Object.entries(value).filter(([field]) => CLIENT_FIELD.test(field))
  if (fields.length === 0 && held.length > 0) return toHeldTools(Object.fromEntries(held))
  if (fields.length === 0) return named === undefined ? [] : [toTool(named, value)]
  return fields.map(([field, option]) => toTool(field, asObject(option)))
}

/** What a tool of the client holds besides: fields, definitions and lists of other tools. */
function toHeldTools(tool: JsonObject): readonly ServerTool[] {
  const { namespace: _, ...fields } = tool
  return Object.entries(fields).flatMap(([field, value]) => {
    if (TOOL_LIST.test(field)) return listTools(value).flatMap(toServerTools)
    return DEFINITION_FIELD.test(field)
      ? itemsOf(value).flatMap(toDefinitionTools)
      : toServerField([field, value])
  })
}

/** A definition of a function has no type, or that of a tool of the client. */
export function toDefinitionTools(value: unknown): readonly ServerTool[] {
  const definition = asObject(value)
  const type = readType(definition)
  if (isBuiltIn(definition)) return [toTool(asString(definition.name) ?? '', definition)]
  return type === undefined || CLIENT_TYPE.test(type)
    ? Object.entries(definition).flatMap(toServerField)
    : [toTool(type, definition)]
}

/** A type that is no text is a type all the same. */
export const readType = ({ type }: JsonObject): string | undefined =>
  isOff(type) ? undefined : (asString(type) ?? typeof type)

export function isClientTool(type: string | undefined, tool: JsonObject): boolean {
  if (type === 'shell') return isLocal(tool.environment)
  if (isBuiltIn(tool.function) || isBuiltIn(tool)) return false
  if (type !== undefined) return CLIENT_TYPE.test(type)
  return typeof tool.name === 'string' && (isObject(tool.input_schema) || isObject(tool.parameters))
}

/** Without an environment, the client executes the commands of a shell. */
export const isLocal = (environment: unknown): boolean =>
  isOff(environment) ||
  (asObject(environment).type === 'local' && asArray(asObject(environment).skills).every(isFolder))

/** A skill of the client is a folder; any other is kept by the provider. */
const isFolder = (skill: unknown): boolean => typeof asObject(skill).path === 'string'

export const toServerField = ([field, value]: readonly [string, unknown]): readonly ServerTool[] =>
  SERVER_FIELD.test(field) && !isOff(value) ? [toTool(field, asObject(value))] : []

/** In an entry without a type, every field that does not describe a client's tool is a tool of the provider. */
const isServerField = ([field, value]: readonly [string, unknown]): boolean =>
  !CLIENT_FIELD.test(field) && !DESCRIPTION_FIELDS.has(field) && Boolean(value)

const DESCRIPTION_FIELDS: ReadonlySet<string> = new Set(['type', 'name', 'description'])

/** How clients switch something off. An empty object switches it on. */
export const isOff = (value: unknown): boolean =>
  !value ||
  (isObject(value) && (value.mode === 'off' || value.enable === false || value.enabled === false)) ||
  (Array.isArray(value) && value.length === 0)

export const toTool = (type: string, entry: JsonObject): ServerTool => ({
  name: NAMES.find(([pattern]) => pattern.test(type))?.[1] ?? type.slice(0, NAME_CHARS_MAX),
  entry,
})

function readSearchField(body: JsonObject, field: (typeof SEARCH_FIELDS)[number]): readonly ServerTool[] {
  const value = body[field]
  if (isOff(value)) return []
  const isPlugin = field === 'plugins' && !asArray(value).some(plugin => asObject(plugin).id === 'web')
  return isPlugin ? [] : [{ name: 'web_search', entry: asObject(value) }]
}

/** Where providers read names of models, at any level, also of forms (`svg[model]`). A preset stands for its model. Elsewhere a text counts if it is one. */
export const MODEL_FIELD =
  /(models?|model_?(name|id|list|uri|slug|key|alias)|fallbacks?|^(presets?|llm|deployment(_?(id|name))?))\]?$/i

/** Case, and how words are joined, make no difference to many servers. A form may repeat a field with brackets. */
const normalize = (field: string): string => field.toLowerCase().replace(/[_-]|\[\]$/g, '')

/**
 * The parameters of all formats and providers that neither name a tool of the provider nor, outside of what `MODEL_FIELD` finds, a model.
 * The lists of their documentation, by operation: chats, sampling, thoughts and formats, Gemini and Cohere, routers, images, sound,
 * embeddings and rankings, sessions.
 */
const KNOWN = new Set(
  `model messages tools tool_choice parallel_tool_calls functions function_call tool_config stream stream_options n stop
  stop_sequences max_tokens max_completion_tokens max_output_tokens max_tool_calls max_steps temperature top_p top_k top_logprobs
  logprobs logit_bias seed random_seed presence_penalty frequency_penalty response_format service_tier speed store metadata user
  user_id session_id request_id safety_identifier prompt_cache_key prompt_cache_retention prompt_cache_options prediction modalities
  audio verbosity best_of echo suffix prompt system input instructions include truncation text reasoning background
  previous_response_id conversation context_management cache_control betas anthropic_version anthropic_beta inference_geo
  output_config output_format safe_prompt prompt_mode generate stream_id deferred moderation event_id access_programs
  background_options previous_interaction_id webhook_config personality diagnostics user_profile_id workspace_id billing_policy fallback_credit_token compaction thread

  top_a min_p typical_p tfs_z eta_cutoff epsilon_cutoff repetition_penalty repetition_context_size repeat_penalty repeat_last_n
  length_penalty penalty_score penalize_nl no_repeat_ngram_size num_beams early_stopping do_sample sampling_params sampler samplers
  min_tokens min_length max_length max_new_tokens ignore_eos stop_token_ids bad_words allowed_token_ids skip_special_tokens
  spaces_between_special_tokens include_stop_str_in_output no_stop_trim add_generation_prompt add_special_tokens
  continue_final_message chat_template chat_template_kwargs template guided_json guided_regex guided_choice guided_grammar
  guided_decoding_backend guided_whitespace_pattern structured_outputs grammar json_schema regex ebnf prompt_logprobs
  truncate_prompt_tokens prompt_truncate_len context_length_exceeded_behavior return_token_ids return_tokens_as_token_ids cache_salt
  cache_prompt priority detokenize mirostat mirostat_tau mirostat_eta mirostat_mode xtc_probability xtc_threshold dry_multiplier
  dry_base dry_allowed_length dry_sequence_breakers dynatemp_range dynatemp_exponent n_predict n_keep n_probs num_ctx num_predict
  num_keep num_gpu num_thread options keep_alive format raw images perf_metrics_in_response sensitive_word_check
  incremental_output result_format vl_high_resolution_images ocr_options translation_options asr_options mask_sensitive_info
  tool_stream bot_setting reply_constraints document_image_limit document_page_limit

  thinking think thinking_config thinking_budget thinking_mode thinking_level thinking_token_budget enable_thinking preserve_thinking
  clear_thinking reasoning_effort reasoning_format reasoning_split reasoning_history reasoning_budget include_reasoning
  include_thoughts separate_reasoning stream_reasoning disable_reasoning effort enable_citation citations citation_options
  citation_quality return_citations return_images return_related_questions

  contents content parts role system_instruction safety_settings generation_config labels candidate_count response_mime_type
  response_schema response_json_schema response_modalities response_logprobs media_resolution generate_content_request requests
  instances parameters properties task_type output_dimensionality auto_truncate agent agents agent_config continuation_token message
  chat_history preamble prompt_truncation temperature p k raw_prompting safety_mode documents return_prompt strict_tools
  force_single_step tool_results conversation_id

  provider route transforms trace debug image_config extra_body google config

  size quality style image image_url mask width height resolution aspect_ratio negative_prompt num_images batch_size image_size
  output_compression partial_images input_fidelity steps num_inference_steps guidance_scale guidance cfg_scale strength loras
  watermark sequential_image_generation sequential_image_generation_options prompt_extend prompt_upsampling safety_tolerance
  optimize_prompt prompt_optimizer scheduler clip_skip response_type svg fps duration video complexity frame_count
  frame_duration_ms markup

  voice voice_id language_boost lang language stream_format file filename file_name timestamp_granularities chunking_strategy
  known_speaker_names known_speaker_references keywords languages diarize diarization speaker speakers emotion pitch rate volume vol sample_rate bitrate
  channels encoding voice_setting audio_setting pronunciation_dict timber_weights timbre_weights subtitle_enable references normalize
  latency prosody chunk_length keyterms purpose

  dimensions output_dimension output_dtype encoding_format input_type embedding_type embedding_types embedding_format normalized
  late_chunking truncate task title texts inputs query queries passages documents top_n return_documents max_chunks_per_doc
  max_tokens_per_doc overlap_tokens rank_fields instruction

  type event_id session response item item_id content_index audio_end_ms previous_item_id delta input_audio_format
  output_audio_format turn_detection input_audio_transcription input_audio_noise_reduction max_response_output_tokens tracing
  output_modalities idle_timeout_ms expires_after expires_at response_id commit setup client_content realtime_input tool_response
  function custom strict include_usage include_obfuscation name description id object created status usage output`
    .split(/\s+/)
    .map(normalize),
)

export const isKnownField = (field: string): boolean => KNOWN.has(normalize(field))

/** A model that a body names beside the one that it asks for. */
export interface NamedModel {
  readonly name: string
  /** It makes pictures, their SVG or transcripts for a tool or a session, at prices of its own. Any other may answer in place of the asked one. */
  readonly isOfTool: boolean
}

interface NamedModels {
  readonly otherModels: readonly NamedModel[]
  readonly mentions: readonly string[]
}

/** Texts, schemas and data, in which no provider looks for a model. */
const CONTENT_FIELD =
  /^(messages|inputs?|contents?|system\w*|instructions|\w*metadata|labels|logit_bias|parameters|\w*schema|tool_choice|prompt|documents|queries|passages|audio_url|file|stop|stop_?sequences)$/i
const TOOL_MODEL = /image_generation|transcription|^svg\b/
const NAMES_MAX = 16
/** Google writes the names of models as paths. */
const PATH = /^models\//

/** Of what a model reads, and of who asks: it may be the name of a model by chance. */
const CHANCE_FIELD =
  /^(query|texts?|lyrics|negative_prompt|instruction|chat_template|user|user_id|session_id|safety_identifier|prompt_cache_key|suffix|title|tags|name|description)$/i
/** The longest name of a model is far shorter. */
const MENTION_CHARS_MAX = 100
/** Looking up the price of each takes some 10 µs. */
const MENTIONS_MAX = 1_000

/** What the client names itself, beside the body: tools and formats. */
const NAMED_FIELD = /^(tools|functions?|function_?declarations|custom|format|response_format)$/i
/** Lists and JSON in a text. */
const SEPARATORS = /[",;|[\]{}]+/

interface NamePlace {
  readonly isOfTool: boolean
  /** Texts of `CHANCE_FIELD` stand here. */
  readonly hasTexts: boolean
}

/** Collects the names in a body. */
class NameCollector {
  readonly named: NamedModel[] = []
  readonly mentions = new Set<string>()

  addNames(value: unknown, isOfTool: boolean): void {
    if (typeof value === 'string') this.named.push({ name: value.replace(PATH, ''), isOfTool })
    else if (Array.isArray(value)) for (const item of value) this.addNames(item, isOfTool)
    else this.addNamesOf(asObject(value), isOfTool)
  }

  /** Of an object below the name of a model: what else it holds may be settings. */
  private addNamesOf({ name, id, ...fields }: JsonObject, isOfTool: boolean): void {
    for (const named of [name, id, ...Object.values(fields).filter(Array.isArray)])
      if (named !== undefined) this.addNames(named, isOfTool)
    for (const field of Object.keys(fields)) this.mention(field)
    this.addFrom(fields, { isOfTool, hasTexts: false })
  }

  addFrom(value: unknown, place: NamePlace): void {
    if (typeof value === 'string') this.mention(value)
    // The name of a file names nothing else.
    if (typeof value !== 'object' || value === null || value instanceof FormFile) return
    if (Array.isArray(value)) for (const item of value) this.addFrom(item, place)
    else this.addFields(asObject(value), place)
  }

  private addFields(fields: JsonObject, { isOfTool, hasTexts }: NamePlace): void {
    const isTool = isOfTool || (typeof fields.type === 'string' && TOOL_MODEL.test(fields.type))
    for (const [field, content] of Object.entries(fields)) {
      const place = { isOfTool: isTool || TOOL_MODEL.test(field), hasTexts: NAMED_FIELD.test(field) }
      if (MODEL_FIELD.test(field)) this.addNames(content, place.isOfTool)
      else if (!isContent(field, content, hasTexts)) {
        if (!isKnownField(field)) this.mention(field)
        this.addFrom(content, place)
      }
    }
  }

  /** A text may be a list of names. */
  private mention(text: string): void {
    if (text.length > MENTION_CHARS_MAX) return
    for (const part of text.split(SEPARATORS))
      if (part !== '' && this.mentions.size <= MENTIONS_MAX) this.mentions.add(part.trim().replace(PATH, ''))
  }
}

/** The input of a realtime session is an object of settings, unlike a text or a list of items. */
const isContent = (field: string, value: unknown, hasTexts: boolean): boolean =>
  (CONTENT_FIELD.test(field) && !(field === 'input' && isObject(asObject(value).transcription))) ||
  (hasTexts && CHANCE_FIELD.test(field) && (typeof value === 'string' || isListOfTexts(field, value)))

/** Texts to embed, unlike the settings of a text. */
const isListOfTexts = (field: string, value: unknown): boolean =>
  /^texts$/i.test(field) && Array.isArray(value)

const BODY: NamePlace = { isOfTool: false, hasTexts: true }

/** Throws GatewayError `invalid_request` for a body that names more models than any provider tries. */
export function readNamedModels({ model: own, ...body }: JsonObject, model: string): NamedModels {
  const names = new NameCollector()
  // Gemini's address names the model, and a lenient server may read the body's.
  if (body.contents !== undefined) names.addFrom(own, BODY)
  names.addFrom(body, BODY)
  names.addFrom(broughtTools(body), BODY)
  const found = new Map<string, NamedModel>()
  for (const one of names.named) {
    const isOfTool = one.isOfTool && found.get(one.name)?.isOfTool !== false
    if (one.name !== '' && one.name !== model) found.set(one.name, { ...one, isOfTool })
  }
  if (found.size > NAMES_MAX)
    throw new GatewayError('invalid_request', {
      zh: `请求中最多可指定 ${NAMES_MAX} 个其他模型`,
      en: `a request may name at most ${NAMES_MAX} other models`,
    })
  if (names.mentions.size > MENTIONS_MAX)
    throw new GatewayError('invalid_request', {
      zh: `请求在内容之外最多可包含 ${MENTIONS_MAX} 个短文本`,
      en: `a request may hold at most ${MENTIONS_MAX} short texts beside its content`,
    })
  const mentions = [...names.mentions].filter(name => name !== model && !found.has(name))
  return { otherModels: [...found.values()], mentions }
}
