import { isObject, type JsonObject } from './json.ts'

/** The folded names of a schema's fields. */
const foldedNames = new WeakMap<object, ReadonlySet<string>>()

/**
 * Go's JSON decoder ignores case, so a provider may read `Model` where we read `model`, or the last of both. It folds
 * letters such as the Kelvin sign too. Source: pkg.go.dev/encoding/json#Unmarshal
 */
const fold = (name: string): string => name.toUpperCase().toLowerCase()

/**
 * The first key that differs only by case from a field of the schema or from another key. Undefined when there is none.
 */
export function findAmbiguousKey(value: object, shape: object): string | undefined {
  const known = getFoldedNames(shape)
  const unknown = new Set<string>()
  for (const name of Object.keys(value)) {
    if (Object.hasOwn(shape, name)) continue
    const folded = fold(name)
    if (known.has(folded) || unknown.has(folded)) return name
    unknown.add(folded)
  }
  return undefined
}

function getFoldedNames(shape: object): ReadonlySet<string> {
  const found = foldedNames.get(shape)
  if (found) return found
  const names = new Set(Object.keys(shape).map(fold))
  foldedNames.set(shape, names)
  return names
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
  output_config output_format safe_prompt prompt_mode generate stream_id deferred moderation event_id

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
  optimize_prompt prompt_optimizer scheduler clip_skip response_type svg fps duration video

  voice voice_id language_boost lang language stream_format file filename file_name timestamp_granularities chunking_strategy
  known_speaker_names known_speaker_references diarize diarization speaker speakers emotion pitch rate volume vol sample_rate bitrate
  channels encoding voice_setting audio_setting pronunciation_dict timber_weights timbre_weights subtitle_enable references normalize
  latency prosody chunk_length keyterms purpose

  dimensions output_dimension output_dtype encoding_format input_type embedding_type embedding_types embedding_format normalized
  late_chunking truncate task title texts inputs query queries passages documents top_n return_documents max_chunks_per_doc
  max_tokens_per_doc overlap_tokens rank_fields instruction

  type event_id session response item item_id content_index audio_end_ms previous_item_id delta input_audio_format
  output_audio_format turn_detection input_audio_transcription input_audio_noise_reduction max_response_output_tokens tracing
  output_modalities idle_timeout_ms expires_after expires_at response_id commit setup client_content realtime_input tool_response
  include_usage include_obfuscation name description id object created status usage output`
    .split(/\s+/)
    .map(normalize),
)

/** Whose own fields count as those of the body, as SDKs and servers merge them. */
const MERGED_FIELD = /^(extra_?body|google|session|response)$/i

/** Whether a field may be one that only its provider knows. `isMeant`: of values that matter to the reader. */
type IsMeant = (value: unknown, field: string) => boolean

const isUnknown = (field: string, value: unknown, isMeant: IsMeant): boolean =>
  (!KNOWN.has(normalize(field)) || (MERGED_FIELD.test(field) && typeof value === 'string')) &&
  !MODEL_FIELD.test(field) &&
  isMeant(value, field)

/** A field of the body that no documentation lists. What a server makes of it is unknown. */
export function findUnknownField(body: object, isMeant: IsMeant): string | undefined {
  if (Array.isArray(body)) return findIn(body, isMeant)
  for (const [field, value] of Object.entries(body)) {
    if (isUnknown(field, value, isMeant)) return field
    const found = isMerged(field, value) ? findUnknownField(value, isMeant) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

function findIn(list: readonly unknown[], isMeant: IsMeant): string | undefined {
  for (const entry of list) {
    const found = isObjectOrList(entry) ? findUnknownField(entry, isMeant) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

const isObjectOrList = (value: unknown): value is object => typeof value === 'object' && value !== null
const isMerged = (field: string, value: unknown): value is object =>
  MERGED_FIELD.test(field) && isObjectOrList(value)

/** The body without the fields that `findUnknownField` finds. */
export const withoutUnknownFields = (body: JsonObject, isMeant: IsMeant): JsonObject =>
  Object.fromEntries(
    Object.entries(body)
      .filter(([field, value]) => !isUnknown(field, value, isMeant))
      .map(([field, value]) => [field, isMerged(field, value) ? withoutUnknownIn(value, isMeant) : value]),
  )

const withoutUnknownIn = (value: unknown, isMeant: IsMeant): unknown =>
  Array.isArray(value)
    ? value.map(entry => withoutUnknownIn(entry, isMeant))
    : isObject(value)
      ? withoutUnknownFields(value, isMeant)
      : value
