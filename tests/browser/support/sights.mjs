/** Pages of the console with objects of the seed. */
export function pagesOf(world) {
  const { jobs, seen } = world
  return [
    { name: 'now', path: '/' },
    { name: 'report', path: '/report' },
    { name: 'jobs', path: '/jobs' },
    { name: 'job', path: `/jobs/${jobs['import rates']}` },
    { name: 'job_long_name', path: `/jobs/${jobs.long}` },
    { name: 'job_new', path: '/jobs/new', needsAdmin: true },
    { name: 'edit', path: `/jobs/${jobs['to Tokyo']}/edit`, needsAdmin: true },
    { name: 'script', path: `/jobs/${jobs['tidy up']}/script` },
    { name: 'elastic', path: '/elastic' },
    { name: 'elastic_hosts', path: '/elastic/hosts' },
    { name: 'runs', path: '/runs' },
    { name: 'run', path: `/runs/${seen.failed}` },
    { name: 'run_log', path: `/runs/${seen.long}/log` },
    { name: 'executors', path: '/executors' },
    { name: 'forecast', path: '/forecast' },
    { name: 'users', path: '/users', needsAdmin: true },
    { name: 'keys', path: '/keys' },
    { name: 'sessions', path: '/sessions', needsAdmin: true },
    { name: 'audit', path: '/audit', needsAdmin: true },
    { name: 'alarms', path: '/alarms', needsAdmin: true },
    { name: 'declared', path: '/declared', needsAdmin: true },
    { name: 'nodes', path: '/nodes' },
    { name: 'doctor', path: '/doctor', needsAdmin: true },
    { name: 'me', path: '/me' },
    { name: 'help', path: '/help' },
    { name: 'missing', path: '/missing' },
  ]
}
