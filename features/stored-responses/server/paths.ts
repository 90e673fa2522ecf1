import { deleteAt, get, type LookupQuery, model, post, type RelayRoute } from '#server/relay/routes/routes.ts'
import { compaction } from './compaction.ts'
import {
  type ConversationDeps,
  createConversation,
  createConversationItems,
  deleteConversation,
  deleteConversationItem,
  getConversation,
  getConversationItem,
  listConversationItems,
  updateConversation,
} from './conversations.ts'
import { cancelInteraction, deleteInteraction, getInteraction } from './interactions/interactions.ts'
import {
  cancelResponse,
  deleteResponse,
  getResponse,
  listInputItems,
  type StoredResponseDeps,
} from './stored-responses.ts'

type StoredDeps = StoredResponseDeps & ConversationDeps

/** A stored response. */
const responsePath = (rest: string): RegExp => new RegExp(`^/v1/responses/(?<id>[^/]+)${rest}$`)

const conversationPath = (rest: string): RegExp => new RegExp(`^/v1/conversations/(?<id>[^/]+)${rest}$`)

const interactionPath = (rest: string): RegExp => new RegExp(`^/v1beta/interactions/(?<id>[^/:]+)${rest}$`)

const CONVERSATIONS = '/v1/conversations'
const ITEM = '/items/(?<itemId>[^/]+)'

/** What stores something or reads much. What was paid for can be read and deleted without a balance. */
const PAID = { needsBalance: true }

export function createPaths(deps: StoredDeps): readonly RelayRoute[] {
  const bind =
    (lookup: (query: LookupQuery, deps: StoredDeps) => Promise<Response>) =>
    (query: LookupQuery): Promise<Response> =>
      lookup(query, deps)
  return [
    model('/v1/responses/compact', compaction, 'responses'),
    get(responsePath(''), bind(getResponse), 'responses'),
    deleteAt(responsePath(''), bind(deleteResponse), 'responses'),
    get(responsePath('/input_items'), bind(listInputItems), 'responses', PAID),
    post(responsePath('/cancel'), bind(cancelResponse), 'responses'),
    post(CONVERSATIONS, bind(createConversation), 'responses', PAID),
    get(conversationPath(''), bind(getConversation), 'responses', PAID),
    post(conversationPath(''), bind(updateConversation), 'responses', PAID),
    deleteAt(conversationPath(''), bind(deleteConversation), 'responses'),
    post(conversationPath('/items'), bind(createConversationItems), 'responses', PAID),
    get(conversationPath('/items'), bind(listConversationItems), 'responses', PAID),
    get(conversationPath(ITEM), bind(getConversationItem), 'responses', PAID),
    deleteAt(conversationPath(ITEM), bind(deleteConversationItem), 'responses'),
    get(interactionPath(''), bind(getInteraction), 'interactions'),
    deleteAt(interactionPath(''), bind(deleteInteraction), 'interactions'),
    post(interactionPath('/cancel'), bind(cancelInteraction), 'interactions'),
  ]
}
