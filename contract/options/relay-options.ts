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
  RetryTimes: integer(0, [0, 10], 'operation', 'further channels tried after a failure'),
  AutomaticDisableChannelEnabled: flag(false, 'operation', 'disables channels whose key was revoked'),
  AutomaticEnableChannelEnabled: flag(false, 'operation', 'enables channels that pass a test again'),
  ChannelDisableThreshold: decimal(
    5,
    [0, 86_400],
    'operation',
    'seconds after which a test counts as too slow; 0: no limit',
  ),
  AutomaticDisableKeywords: lines(
    REVOKED_KEY_PHRASES,
    'operation',
    'phrases in errors that mean that the key was revoked',
  ),
  CheckSensitiveEnabled: flag(true, 'operation', 'enables the sensitive-word filter'),
  CheckSensitiveOnPromptEnabled: flag(true, 'operation', 'applies the sensitive-word filter to prompts'),
  SensitiveWords: lines('test_sensitive', 'operation', 'sensitive words'),
  DrawingEnabled: flag(true, 'operation', 'enables drawing'),
  TaskEnabled: flag(true, 'operation', 'enables asynchronous tasks'),
  MjNotifyEnabled: flag(
    false,
    'operation',
    "passes on the client's callback address, which reveals ours to it",
  ),
  MjAccountFilterEnabled: flag(false, 'operation', 'passes on accountFilter'),
  MjModeClearEnabled: flag(false, 'operation', 'removes --fast, --relax and --turbo from prompts'),
  MjForwardUrlEnabled: flag(true, 'operation', 'serves images through this installation'),
  MjActionCheckSuccessEnabled: flag(true, 'operation', 'requires a finished image for follow-up actions'),
  LogConsumeEnabled: flag(true, 'operation', 'logs each request'),
  DataExportEnabled: flag(true, 'operation', 'enables the dashboard'),
  DataExportInterval: integer(5, [1, 1440], 'operation', 'minutes between refreshes of the dashboard'),
  DataExportDefaultTime: oneOf(
    ['hour', 'day', 'week'],
    'hour',
    'operation',
    'initial granularity of the dashboard',
  ),
  ModelRequestRateLimitEnabled: flag(false, 'operation', 'limits the requests of each user'),
  ModelRequestRateLimitDurationMinutes: integer(1, [1, 1440], 'operation', 'window of that limit in minutes'),
  ModelRequestRateLimitCount: integer(0, [0, 1_000_000], 'operation', 'requests in the window; 0: no limit'),
  ModelRequestRateLimitSuccessCount: integer(
    1000,
    [1, 1_000_000],
    'operation',
    'successful requests in the window',
  ),
  DisconnectReadSeconds: integer(
    30,
    [0, 600],
    'operation',
    'seconds for which a response is read on after its client has left, for its usage; 0: not at all',
  ),
  DisconnectReadMegabytes: integer(
    4,
    [0, 1024],
    'operation',
    'MiB of a stream that are read on after its client has left; 0: none',
  ),
  UserConcurrencyLimit: integer(0, [0, 1_000_000], 'operation', 'concurrent requests of a user; 0: no limit'),
  RequestTextLimit: integer(
    8,
    [1, 64],
    'operation',
    'MiB of text in the JSON of a request; images, audio and files do not count',
  ),
} as const
