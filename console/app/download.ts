import type { AnyEndpoint, QueryOf } from '#contract/endpoint.ts'
import { currentLanguage } from '../ui/text.ts'
import { type CallInput, urlOf } from './call.ts'
