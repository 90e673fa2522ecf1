/** The paths of the relay. Also read by the development proxy, so this file imports nothing. */
export const RELAY_PATH =
  /^\/(v1|v1alpha|v1beta|v1beta1|upload\/v1beta|v2|openai|pg|rerank|dashboard\/billing|mj|mj-(fast|relax|turbo)\/mj|suno)(\/|$)/
