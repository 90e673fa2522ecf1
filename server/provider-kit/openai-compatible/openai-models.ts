import names from './openai-models.json'

/** OpenAI's own models: the initial list of a new channel of OpenAI or of a host of its models. */
export const openaiModels: readonly string[] = names
