/** What a new channel of this type offers at first. */
export const models: readonly string[] = [
  '@cf/openai/gpt-oss-120b',
  '@cf/openai/gpt-oss-20b',
  '@cf/meta/llama-4-scout-17b-16e-instruct',
  '@cf/meta/llama-3.3-70b-instruct-fp8-fast',
  '@cf/meta/llama-3.1-8b-instruct',
  '@cf/meta/llama-3-8b-instruct',
  '@cf/meta/llama-2-7b-chat-fp16',
  '@cf/mistralai/mistral-small-3.1-24b-instruct',
  '@cf/mistral/mistral-7b-instruct-v0.1',
  '@cf/google/gemma-3-12b-it',
  '@cf/qwen/qwq-32b',
  '@cf/deepseek-ai/deepseek-r1-distill-qwen-32b',
  '@cf/baai/bge-m3',
]
