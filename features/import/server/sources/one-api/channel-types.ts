/** A type here, with the base URL that the type had there by default where the type here has another. */
type TypeHere = number | readonly [type: number, baseUrl: string]

/** Types of one-api that are not the same number here. Types without an entry and above 25 are unknown here. */
export const ONE_API_TYPES: Readonly<Record<number, TypeHere>> = {
  2: [1, 'https://oa.api2d.net'],
  4: [1, 'https://api.closeai-proxy.xyz'],
  5: [1, 'https://api.openai-sb.com'],
  // A custom channel there is a base URL; here it is a whole address.
  8: [1, ''],
  26: [1, 'https://api.baichuan-ai.com'],
  27: 35,
  28: 42,
  29: [1, 'https://api.groq.com/openai'],
  30: 4,
  31: 31,
  32: [1, 'https://api.stepfun.com'],
  33: 33,
  34: 49,
  35: 34,
  36: 43,
  37: 39,
  39: [1, 'https://api.together.xyz'],
  40: 45,
  42: 41,
  44: 40,
  45: 48,
  47: 46,
  48: [1, 'https://spark-api-open.xf-yun.com'],
  49: [1, 'https://dashscope.aliyuncs.com/compatible-mode'],
  50: [1, ''],
  51: 24,
}

export const ONE_HUB_TYPES: Readonly<Record<number, TypeHere>> = {
  8: [1, ''],
  25: 24,
  26: [1, 'https://api.baichuan-ai.com'],
  27: 35,
  28: 43,
  29: 25,
  30: 42,
  31: [1, 'https://api.groq.com/openai'],
  32: 33,
  33: 31,
  34: 2,
  35: 39,
  36: 34,
  38: 49,
  39: 4,
  41: 36,
  42: 41,
  45: 40,
  47: 38,
  56: 48,
}

/** Up to here, numbers without an entry mean the same in all three programs. */
export const ONE_API_SHARED_MAX = 25
export const ONE_HUB_SHARED_MAX = 23
