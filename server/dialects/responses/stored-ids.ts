/** Ids of the gateway's own stored objects contain the id of the request that made them: 23 digits and 8 characters. */
const RESPONSE_ID = /^resp_(\d{23}[A-Za-z0-9]{8})$/
const ITEM_ID = /^[a-z]+_(\d{23}[A-Za-z0-9]{8})(?:_|$)/

export const toResponseId = (requestId: string): string => `resp_${requestId}`

/** Whether only our own store can have the response. */
export const isOwnResponseId = (id: string): boolean => RESPONSE_ID.test(id)

export const toConversationId = (requestId: string): string => `conv_${requestId}`

/** The response to which an item with one of our ids belongs. */
export function findResponseIdOfItem(itemId: string): string | undefined {
  const requestId = ITEM_ID.exec(itemId)?.[1]
  return requestId && toResponseId(requestId)
}
