export const scheduleTypes = ['NONE', 'CRON', 'FIX_RATE'] as const
export const misfires = ['DO_NOTHING', 'FIRE_ONCE_NOW'] as const
export const blocks = ['SERIAL_EXECUTION', 'DISCARD_LATER', 'COVER_EARLY'] as const
export const unknownPolicies = ['ask', 'skip', 'resend'] as const
export const routes = [
  'FIRST',
  'LAST',
  'ROUND',
  'RANDOM',
  'CONSISTENT_HASH',
  'LEAST_FREQUENTLY_USED',
  'LEAST_RECENTLY_USED',
  'FAILOVER',
  'BUSYOVER',
  'SHARDING_BROADCAST',
] as const
export const glueTypes = ['BEAN', 'GLUE_GROOVY', 'GLUE_SHELL', 'GLUE_PYTHON', 'GLUE_PYTHON2', 'GLUE_PHP', 'GLUE_NODEJS', 'GLUE_POWERSHELL'] as const
export type GlueType = (typeof glueTypes)[number]

export const glueNames: Record<string, string> = {
  BEAN: 'BEAN',
  GLUE_GROOVY: 'GLUE(Java)',
  GLUE_SHELL: 'GLUE(Shell)',
  GLUE_PYTHON: 'GLUE(Python3)',
  GLUE_PYTHON2: 'GLUE(Python2)',
  GLUE_PHP: 'GLUE(PHP)',
  GLUE_NODEJS: 'GLUE(Nodejs)',
  GLUE_POWERSHELL: 'GLUE(PowerShell)',
}
