/** Whose model a name belongs to, by how it begins. Names that begin otherwise are others'. */
const BEGINNINGS: ReadonlyArray<readonly [string, RegExp]> = [
  [
    'OpenAI',
    /^(gpt|chatgpt|o\d|codex|dall-e|whisper|tts|text-embedding|text-moderation|omni-|davinci|babbage|text-davinci|sora)/,
  ],
  ['Anthropic', /^claude/],
  ['Google', /^(gemini|gemma|palm|imagen|veo)/],
  ['DeepSeek', /^deepseek/],
  ['Alibaba', /^(qwen|qwq|qvq|wan)/],
  ['Zhipu', /^(glm|chatglm|cogview|cogvideo)/],
  ['Moonshot', /^(moonshot|kimi)/],
  ['Baidu', /^(ernie|bloomz|embedding-v1|tao-)/],
  ['Xunfei', /^spark/],
  ['Tencent', /^hunyuan/],
  ['ByteDance', /^doubao/],
  ['Mistral', /^(mistral|mixtral|codestral|ministral|pixtral|open-mi)/],
  ['Meta', /^(llama|meta-llama)/],
  ['Cohere', /^(command|c4ai|rerank|embed-)/],
  ['xAI', /^grok/],
  ['MiniMax', /^(abab|minimax)/],
  ['01.AI', /^yi-/],
  ['360', /^(360|semantic_)/],
  ['Midjourney', /^mj_/],
  ['Suno', /^suno_/],
  ['Jina', /^jina/],
]

export const OTHERS = ''

export function providerOf(model: string): string {
  const name = (model.toLowerCase().split('/').at(-1) ?? '').trim()
  return BEGINNINGS.find(([, beginning]) => beginning.test(name))?.[0] ?? OTHERS
}
