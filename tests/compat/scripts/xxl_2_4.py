#!/usr/bin/env python3
"""A script as teams wrote it against XXL-JOB 2.4: signs in, adds a job, starts it, runs it, reads its log, stops and removes it.

    xxl_2_4.py http://host:port/xxl-job-admin USER PASSWORD EXECUTOR_ADDRESS

Prints one line for each step. Exits with 1 and prints the reply if it is unexpected.
"""

import http.cookiejar
import json
import sys
import time
import urllib.parse
import urllib.request


class Admin:
    def __init__(self, base: str):
        self.base = base
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))

    def post(self, path: str, **form) -> dict:
        body = urllib.parse.urlencode(form).encode()
        with self.opener.open(self.base + path, body, timeout=60) as reply:
            return json.loads(reply.read())

    def ask(self, path: str, **form):
        reply = self.post(path, **form)
        if reply["code"] != 200:
            sys.exit(f"{path}: {json.dumps(reply, ensure_ascii=False)}")
        return reply["content"]

    def rows(self, path: str, **form) -> list[dict]:
        page = self.post(path, start=0, length=10, **form)
        if page["recordsTotal"] != page["recordsFiltered"]:
            sys.exit(f"{path}: {page}")
        return page["data"]


def job_form(group: int) -> dict:
    return {"jobGroup": group, "jobDesc": "script 2.4", "author": "ops", "alarmEmail": "", "scheduleType": "CRON",
            "scheduleConf": "0 0 3 * * ?", "misfireStrategy": "DO_NOTHING", "executorRouteStrategy": "FIRST",
            "executorHandler": "demoJobHandler", "executorParam": "own", "executorBlockStrategy": "SERIAL_EXECUTION",
            "executorTimeout": 0, "executorFailRetryCount": 0, "glueType": "BEAN", "glueSource": "",
            "glueRemark": "GLUE initialised", "childJobId": ""}


def finished_run(admin: Admin, group: int, job: int) -> dict:
    today = time.strftime("%Y-%m-%d")
    end = time.monotonic() + 60
    while time.monotonic() < end:
        rows = admin.rows("/joblog/pageList", jobGroup=group, jobId=job, logStatus=-1,
                          filterTime=f"{today} 00:00:00 - {today} 23:59:59")
        if rows and rows[0]["handleCode"] != 0 and rows[0]["triggerCode"] != 0:  # a quick result may be first
            return rows[0]
        time.sleep(0.1)
    sys.exit("no run came to its end")


def main() -> None:
    base, user, password, executor = sys.argv[1:5]
    admin = Admin(base)
    admin.ask("/login", userName=user, password=password, ifRemember="on")
    print("signed in")
    admin.ask("/jobgroup/save", appname="script-2-4", title="Script", addressType=1, addressList=executor)
    group = admin.rows("/jobgroup/pageList", appname="script-2-4", title="")[0]["id"]
    print("group", group)
    job = int(admin.ask("/jobinfo/add", **job_form(group)))
    print("added", job)
    admin.ask("/jobinfo/update", id=job, **(job_form(group) | {"jobDesc": "script 2.4, changed"}))
    admin.ask("/jobinfo/start", id=job)
    row = admin.rows("/jobinfo/pageList", jobGroup=group, triggerStatus=1, jobDesc="changed", executorHandler="", author="")[0]
    if row["id"] != job or row["triggerNextTime"] <= time.time() * 1000:
        sys.exit(f"started: {row}")
    print("started")
    times = admin.ask("/jobinfo/nextTriggerTime", scheduleType="CRON", scheduleConf="0 0 3 * * ?")
    if len(times) != 5:
        sys.exit(f"next times: {times}")
    admin.ask("/jobinfo/trigger", id=job, executorParam="manual", addressList="")
    run = finished_run(admin, group, job)
    if (run["triggerCode"], run["handleCode"], run["executorParam"]) != (200, 200, "manual"):
        sys.exit(f"run: {run}")
    print("ran")
    log = admin.ask("/joblog/logDetailCat", logId=run["id"], fromLineNum=1)
    print("log", json.dumps(log["logContent"]))
    admin.ask("/jobinfo/stop", id=job)
    print("stopped")
    admin.ask("/joblog/clearLog", jobGroup=group, jobId=job, type=9)
    admin.ask("/jobinfo/remove", id=job)
    if admin.rows("/jobinfo/pageList", jobGroup=group, triggerStatus=-1, jobDesc="", executorHandler="", author=""):
        sys.exit("the job is still there")
    print("removed")
    admin.ask("/logout")
    print("signed out")


main()
