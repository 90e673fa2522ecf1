import { isObject } from '../../provider-kit/json.ts'

/** OpenAI lets clients leave the model out of some calls. */
export const withDefaultModel = (body: unknown, model: string): unknown =>
  isObject(body) && (body.model === undefined || body.model === null || body.model === '')
    ? { ...body, model }
    : body
