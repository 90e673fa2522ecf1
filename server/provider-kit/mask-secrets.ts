const ADDRESS = /\b(?:https?|wss?|socks5?):\/\/[^\s"'<>)\]]+/gi
const IP_ADDRESS = /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g
/** As it stands before a port. */
const IPV6_ADDRESS = /\[(?=[^\]]{0,45}:)[\da-f:.]{2,45}(?:%\w{1,16})?\](?::\d+)?/gi
const KEY =
  /\b(?:sk|xai|pplx)-[\w*-]{6,}|\b(?:gsk|r8|jina|pat)_[\w*]{6,}|\bapp-\w{20,}|\bAIza[\w*-]{6,}|\bBearer\s+\S+/g
/** Of an address whose beginning is missing. A few vendors read a token from there. */
const PARAMETER = /\b(access_token|client_id|client_secret|authorization|signature|key)=[^&\s"'<>]+/gi
const MESSAGE_CHARS_MAX = 4_000

/** An upstream's sentence without what a client must not learn: addresses and keys. Cut where it is very long. */
export const maskSecrets = (message: string): string =>
  message
    .slice(0, MESSAGE_CHARS_MAX)
    .replace(ADDRESS, '[address]')
    .replace(IP_ADDRESS, '[address]')
    .replace(IPV6_ADDRESS, '[address]')
    .replace(KEY, '[key]')
    .replace(PARAMETER, '$1=[key]')
