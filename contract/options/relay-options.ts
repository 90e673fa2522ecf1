import { decimal, flag, integer, lines, oneOf } from './define-option.ts'

const REVOKED_KEY_PHRASES = [
  'Your credit balance is too low',
  'This organization has been disabled.',
  'You exceeded your current quota',
  'Permission denied',
  'The security token included in the request is invalid',
  'Operation not allowed',
  'Your account is not authorized',
].join('\n')

export const relayOptions = {
  RetryTimes: integer(0, [0, 10], 'operation', 'further channels that are tried when one fails'),
  AutomaticDisableChannelEnabled: flag(false, 'operation', 'channels with a dead key are disabled'),
  AutomaticEnableChannelEnabled: flag(false, 'operation', 'channels that pass their test again are enabled'),
  ChannelDisableThreshold: decimal(
    5,
    [0, 86_400],
    'operation',
    'seconds beyond which a test disables; 0: no limit',
  ),
  AutomaticDisableKeywords: lines(
    REVOKED_KEY_PHRASES,
    'operation',
    'words in a failure that tell of a dead key',
  ),
  CheckSensitiveEnabled: flag(true, 'operation', 'requests are searched for sensitive words'),
  CheckSensitiveOnPromptEnabled: flag(true, 'operation', 'prompts are searched for sensitive words'),
  SensitiveWords: lines('test_sensitive', 'operation', 'the sensitive words'),
  DrawingEnabled: flag(true, 'operation', 'drawing'),
  TaskEnabled: flag(true, 'operation', 'asynchronous tasks'),
  MjNotifyEnabled: flag(
    false,
    'operation',
    "the client's own callback address is passed on; it learns our address",
  ),
  MjAccountFilterEnabled: flag(false, 'operation', 'accountFilter is passed on'),
  MjModeClearEnabled: flag(false, 'operation', '--fast, --relax and --turbo are taken out of prompts'),
  MjForwardUrlEnabled: flag(true, 'operation', 'pictures are shown through this installation'),
  MjActionCheckSuccessEnabled: flag(true, 'operation', 'follow-up actions need a finished picture'),
  LogConsumeEnabled: flag(true, 'operation', 'each request leaves a log row'),
  DataExportEnabled: flag(true, 'operation', 'the dashboard'),
  DataExportInterval: integer(5, [1, 1440], 'operation', 'minutes between refreshes of the dashboard'),
  DataExportDefaultTime: oneOf(
    ['hour', 'day', 'week'],
    'hour',
    'operation',
    'granularity that the dashboard opens with',
  ),
  ModelRequestRateLimitEnabled: flag(false, 'operation', 'limits the requests of a user'),
  ModelRequestRateLimitDurationMinutes: integer(1, [1, 1440], 'operation', 'the window of that limit'),
  ModelRequestRateLimitCount: integer(0, [0, 1_000_000], 'operation', 'requests in the window; 0: no limit'),
  ModelRequestRateLimitSuccessCount: integer(
    1000,
    [1, 1_000_000],
    'operation',
    'successful requests in the window',
  ),
  UserConcurrencyLimit: integer(
    0,
    [0, 1_000_000],
    'operation',
    'requests of a user under way at once; 0: no limit',
  ),
} as const
