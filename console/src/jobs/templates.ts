/** First sources of scripts: each prints its arguments and ends with code 0. */
export const templates: Record<string, string> = {
  GLUE_GROOVY: `package com.xxl.job.service.handler;

import com.xxl.job.core.context.XxlJobHelper;
import com.xxl.job.core.handler.IJobHandler;

public class DemoGlueJobHandler extends IJobHandler {

	@Override
	public void execute() throws Exception {
		XxlJobHelper.log("job parameter: " + XxlJobHelper.getJobParam());
	}

}
`,
  GLUE_SHELL: `#!/bin/bash
echo "script location: $0"
echo "job parameter: $1"
echo "shard index: $2"
echo "shard total: $3"
exit 0
`,
  GLUE_PYTHON: `#!/usr/bin/env python3
import sys

print("script location:", sys.argv[0])
print("job parameter:", sys.argv[1])
print("shard index:", sys.argv[2])
print("shard total:", sys.argv[3])
sys.exit(0)
`,
  GLUE_PYTHON2: `#!/usr/bin/python
# -*- coding: UTF-8 -*-
import sys

print "script location: %s" % sys.argv[0]
print "job parameter: %s" % sys.argv[1]
print "shard index: %s" % sys.argv[2]
print "shard total: %s" % sys.argv[3]
exit(0)
`,
  GLUE_PHP: `<?php
echo "script location: $argv[0]\\n";
echo "job parameter: $argv[1]\\n";
echo "shard index: $argv[2]\\n";
echo "shard total: $argv[3]\\n";
exit(0);
`,
  GLUE_NODEJS: `#!/usr/bin/env node
const [, location, parameter, index, total] = process.argv
console.log('script location:', location)
console.log('job parameter:', parameter)
console.log('shard index:', index)
console.log('shard total:', total)
process.exit(0)
`,
  GLUE_POWERSHELL: `Write-Host "script location: $($MyInvocation.MyCommand.Definition)"
Write-Host "job parameter: $($args[0])"
Write-Host "shard index: $($args[1])"
Write-Host "shard total: $($args[2])"
exit 0
`,
}
