BEGIN TRANSACTION;
CREATE TABLE "_sqlite_migrations" (
   "id" INTEGER PRIMARY KEY,
   "migration_set" TEXT,
   "name" TEXT,
   "applied_at" TEXT
);
INSERT INTO "_sqlite_migrations" VALUES(1,'assay','0001_first_schema','2026-11-23 12:08:42.322125+00:00');
INSERT INTO "_sqlite_migrations" VALUES(2,'assay','0002_designs_and_rollups','2026-11-23 12:08:42.328249+00:00');
INSERT INTO "_sqlite_migrations" VALUES(3,'assay','0003_calls_of_models','2026-11-23 12:08:42.329642+00:00');
INSERT INTO "_sqlite_migrations" VALUES(4,'assay','0004_several_readers','2026-11-23 12:08:42.344872+00:00');
INSERT INTO "_sqlite_migrations" VALUES(5,'assay','0005_gold_that_stays_true','2026-11-23 12:08:42.358611+00:00');
INSERT INTO "_sqlite_migrations" VALUES(6,'assay','0006_people_by_key','2026-11-23 12:08:42.359608+00:00');
INSERT INTO "_sqlite_migrations" VALUES(7,'assay','0007_tombstones','2026-11-23 12:08:42.359992+00:00');
INSERT INTO "_sqlite_migrations" VALUES(8,'assay','0008_decisions','2026-11-23 12:08:42.361070+00:00');
INSERT INTO "_sqlite_migrations" VALUES(9,'assay','0009_readings_and_causes_asked_for','2026-11-23 12:08:42.361609+00:00');
INSERT INTO "_sqlite_migrations" VALUES(10,'assay','0010_complaints_set_aside','2026-11-23 12:08:42.361986+00:00');
INSERT INTO "_sqlite_migrations" VALUES(11,'assay','0011_questions','2026-11-23 12:08:42.368507+00:00');
INSERT INTO "_sqlite_migrations" VALUES(12,'assay','0012_gold_conversations','2026-11-23 12:08:42.369522+00:00');
INSERT INTO "_sqlite_migrations" VALUES(13,'assay','0013_claims','2026-11-23 12:08:42.369915+00:00');
INSERT INTO "_sqlite_migrations" VALUES(14,'assay','0015_rows_that_came_in_repaired','2026-11-23 12:08:42.374891+00:00');
INSERT INTO "_sqlite_migrations" VALUES(15,'assay','0016_contradictions_stay_open','2026-11-23 12:08:42.375469+00:00');
INSERT INTO "_sqlite_migrations" VALUES(16,'assay','0017_seals','2026-11-23 12:08:42.377022+00:00');
INSERT INTO "_sqlite_migrations" VALUES(17,'assay','0018_totals_beside_the_store','2026-11-23 12:08:42.377372+00:00');
CREATE TABLE annotations (
    sequence INTEGER PRIMARY KEY, source TEXT NOT NULL, id TEXT NOT NULL, item INTEGER NOT NULL REFERENCES items,
    draw INTEGER REFERENCES draws, annotator TEXT NOT NULL, judgement TEXT, reference TEXT, causes TEXT NOT NULL,
    harm TEXT, rationale TEXT, form_version TEXT, seconds REAL, at TEXT, is_deleted INTEGER NOT NULL,
    received_at TEXT NOT NULL, edited_by TEXT);
INSERT INTO "annotations" VALUES(1,'file','da64ec3c5a147704ddc3d425:fefaa94bb0d71c6642192a63',1,4,'ann','right',NULL,'[]',NULL,NULL,NULL,NULL,NULL,0,'2026-11-23T12:08:52.091Z',NULL);
INSERT INTO "annotations" VALUES(2,'file','b49a9861f2da0741ee53d226:ad5f02550719c0261f9e2ce9',2,2,'ann','wrong','Room b is on the first floor.','["incomplete"]',NULL,'half',NULL,NULL,NULL,0,'2026-11-23T12:08:52.091Z',NULL);
INSERT INTO "annotations" VALUES(3,'file','3ee258dd4bde8abc7171a53e:ad5f02550719c0261f9e2ce9',2,2,'bob','right',NULL,'[]',NULL,NULL,NULL,NULL,NULL,0,'2026-11-23T12:08:52.091Z',NULL);
INSERT INTO "annotations" VALUES(4,'file','36b38bec52ed5b00097ae4a8:2c5b168059d89294b998f219',3,1,'bob','wrong',NULL,'[]',NULL,NULL,NULL,NULL,NULL,0,'2026-11-23T12:08:52.091Z',NULL);
INSERT INTO "annotations" VALUES(5,'file','8b3ca0004bf1383b97bb4078:f5df2e03180e53f20fca2be0',4,3,'bob','unsure',NULL,'[]',NULL,NULL,NULL,NULL,NULL,0,'2026-11-23T12:08:52.091Z',NULL);
INSERT INTO "annotations" VALUES(6,'adjudication','ad5f02550719c0261f9e2ce9',2,2,'tester','right',NULL,'[]',NULL,'checked',NULL,NULL,'2026-11-23T12:09:24.858Z',0,'2026-11-23T12:09:24.858Z',NULL);
CREATE TABLE asides (
    item_id TEXT PRIMARY KEY, item INTEGER REFERENCES items, thumbs INTEGER NOT NULL, why TEXT,
    who TEXT NOT NULL REFERENCES people, at TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE attempts (
    key INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES runs, purpose TEXT NOT NULL
        CHECK (purpose IN ('probe', 'canary', 'item')),
    judges TEXT NOT NULL, item INTEGER REFERENCES items, step INTEGER NOT NULL, outcome TEXT NOT NULL, reason TEXT,
    seconds REAL NOT NULL, prompt_tokens INTEGER, cached_tokens INTEGER, completion_tokens INTEGER, cost REAL,
    model TEXT, fingerprint TEXT, request_id TEXT, reply TEXT, is_open INTEGER NOT NULL, at TEXT NOT NULL);
CREATE TABLE causes (
    sequence INTEGER PRIMARY KEY, item INTEGER NOT NULL REFERENCES items, draw INTEGER REFERENCES draws,
    causes TEXT NOT NULL, seen INTEGER NOT NULL, who TEXT NOT NULL REFERENCES people, at TEXT NOT NULL);
CREATE TABLE choosers (
    rule INTEGER NOT NULL REFERENCES rules, draw INTEGER NOT NULL REFERENCES draws, PRIMARY KEY (rule, draw)) WITHOUT ROWID;
CREATE TABLE claims (
    rule INTEGER NOT NULL REFERENCES guarantees, claim TEXT NOT NULL, n INTEGER NOT NULL, errors INTEGER NOT NULL,
    p_value REAL NOT NULL, clusters REAL, PRIMARY KEY (rule, claim)) WITHOUT ROWID;
CREATE TABLE details (
    judge INTEGER NOT NULL REFERENCES judges, item INTEGER NOT NULL REFERENCES items, content TEXT NOT NULL,
    PRIMARY KEY (judge, item)) WITHOUT ROWID;
INSERT INTO "details" VALUES(1,1,'{"sentences":[],"passages":[1.0]}');
INSERT INTO "details" VALUES(1,2,'{"sentences":[],"passages":[1.0]}');
INSERT INTO "details" VALUES(1,3,'{"sentences":[],"passages":[1.0]}');
INSERT INTO "details" VALUES(1,4,'{"sentences":[],"passages":[0.0]}');
INSERT INTO "details" VALUES(2,1,'{"sentences":[["Room a is on floor 0.","supported",1.0,1,"Room a is on floor 0."]],"passages":[]}');
INSERT INTO "details" VALUES(2,2,'{"sentences":[["Room b is on floor 1.","supported",1.0,1,"Room b is on floor 1."]],"passages":[]}');
INSERT INTO "details" VALUES(2,3,'{"sentences":[["","supported",0.5174,1,""]],"passages":[]}');
INSERT INTO "details" VALUES(2,4,'{"sentences":[["Room d is on floor 1.","supported",0.5174,1,"Room d is on floor 3.","not in the passages: 1"]],"passages":[]}');
CREATE TABLE draws (
    key INTEGER PRIMARY KEY, wave INTEGER NOT NULL REFERENCES waves, item INTEGER NOT NULL REFERENCES items,
    stratum TEXT NOT NULL, inclusion_probability REAL NOT NULL
        CHECK (inclusion_probability > 0 AND inclusion_probability <= 1),
    task_key TEXT NOT NULL UNIQUE, lot TEXT, UNIQUE (item));
INSERT INTO "draws" VALUES(1,1,3,'passed',1.0,'2c5b168059d89294b998f219',NULL);
INSERT INTO "draws" VALUES(2,1,2,'passed',1.0,'ad5f02550719c0261f9e2ce9',NULL);
INSERT INTO "draws" VALUES(3,1,4,'failed',1.0,'f5df2e03180e53f20fca2be0',NULL);
INSERT INTO "draws" VALUES(4,1,1,'passed',1.0,'fefaa94bb0d71c6642192a63',NULL);
CREATE TABLE endpoints (
    url TEXT NOT NULL, model TEXT NOT NULL, mode TEXT NOT NULL, parameters TEXT NOT NULL, at TEXT NOT NULL,
    PRIMARY KEY (url, model)) WITHOUT ROWID;
CREATE TABLE event_head (only INTEGER PRIMARY KEY CHECK (only = 1), sequence INTEGER NOT NULL, hash TEXT NOT NULL);
INSERT INTO "event_head" VALUES(1,10,'36f1d290adc008ca7a9878672fc559240c5c8f3db379089e135b0ce0493f8efa');
CREATE TABLE events (
    sequence INTEGER PRIMARY KEY, at TEXT NOT NULL, who TEXT NOT NULL, what TEXT NOT NULL, detail TEXT NOT NULL,
    hash TEXT NOT NULL, sealed TEXT);
INSERT INTO "events" VALUES(1,'2026-11-23T12:08:42.390Z','p-6d82d847804a','ingest','{"added": 4, "files": 1, "repaired": 0, "revised": 0, "unchanged": 0, "updated": 0}','78a979242008fc575566de6b2496f6fb8bdc66172aed63b693f6b45cf28b60d1',NULL);
INSERT INTO "events" VALUES(2,'2026-11-23T12:08:45.361Z','p-3576b83089e3','rule set','{"expression": "min(context_relevance, faithfulness) > 0.5", "name": "default", "version": 1}','03ae71bb33c1db8769c0c8a2338e32880025d5cf4f8a6c6a6be15e33aa7ed95a',NULL);
INSERT INTO "events" VALUES(3,'2026-11-23T12:08:48.540Z','p-6d82d847804a','sample','{"audit": 0.25, "design": "stratified", "labels": 4, "seed": 1, "wave": 1}','8201bcedfd7a8f4c445858b8b205c5d818e4d34cb17144866beb4e819fa47496','4540f6285e7f841bf3513b13daee4d80dc2502dd2368e7108f3329b33b559494');
INSERT INTO "events" VALUES(4,'2026-11-23T12:08:52.101Z','p-3576b83089e3','seal','{"rows": 13}','cd6ddd18f9543919fd3b80783a1c64dc99fec68da7fd9d29a7d922be45ebf36d','2fdf624e3d1653aba88b4f5e4cd8bc0be524d9fbf236e0201ccb68022b17e5a2');
INSERT INTO "events" VALUES(5,'2026-11-23T12:08:52.091Z','p-6d82d847804a','labels import','{"added": 5, "digest": "737fd9b289be881e70d18f94b79c5d3af43446da5e9c892cf2611ef11231f086", "outdated": 0, "revised": 0, "unchanged": 0}','1350f64b420d8f4d56e27eb94152426713f1b7ca9445954230a2a7d18ba91c06',NULL);
INSERT INTO "events" VALUES(6,'2026-11-23T12:08:56.128Z','p-6d82d847804a','feedback','{"new": 2}','249f53145e0ffe888fead15cf07ae7f22346820de8568dd7f14509dfae6dfd0f',NULL);
INSERT INTO "events" VALUES(7,'2026-11-23T12:09:19.179Z','p-6d82d847804a','gold accepted','{"gold_ids": ["gold-178cfccc04b3e5ae"]}','69b1a00a07d0c26661abb0b9845131339e69cffc823014c19971191af4364b4a','12062b4c7805370d1be3677e7ee4fc4a25a378083fb2b1f5f6430af1950a2a83');
INSERT INTO "events" VALUES(8,'2026-11-23T12:09:22.043Z','p-6d82d847804a','gold release','{"conflicting": 0, "entries": 1, "flagged": 0, "hash": "c34d535fb86857b3b2c386d233090a932405b19326e9e265829113c69e2c89f3", "name": "v1", "roles": {"calibration": 1}}','096e4087c19101183bd00be057584b2be7cc2c71083d92f6401a704ea7b69e2b','0ea38cd7ad3ae2fc24c735c69f5fd95255923ae2d7652e836a9b9f9f73fc9e7d');
INSERT INTO "events" VALUES(9,'2026-11-23T12:09:24.858Z','p-6d82d847804a','labels adjudicate','{"annotation": "ad5f02550719c0261f9e2ce9", "label": "right"}','757e5d8af817116850fa29297a211e601847cf71d2381987fc3f541e7ee594ec','3dc77c58825c8e3aaa00dcc26ff7a6ee8069fc74e6b1a640a389a27e8efc2f27');
INSERT INTO "events" VALUES(10,'2026-11-23T12:09:27.914Z','p-6d82d847804a','forget items','{"annotations": 1, "feedback": 0, "gold": 1, "item_ids": ["c"], "items": 1, "quarantined": 0, "revisions": 1}','36f1d290adc008ca7a9878672fc559240c5c8f3db379089e135b0ce0493f8efa','0b0fa2fef941d6965decc85ba5f49fa9659cccfe72bbf7fa611cfe33677e62d7');
CREATE TABLE failures (
    judge INTEGER NOT NULL REFERENCES judges, item INTEGER NOT NULL REFERENCES items, kind TEXT NOT NULL,
    reason TEXT NOT NULL, seconds REAL, at TEXT NOT NULL, PRIMARY KEY (judge, item)) WITHOUT ROWID;
CREATE TABLE feedback (
    hash BLOB PRIMARY KEY, item_id TEXT NOT NULL, value TEXT, sign INTEGER NOT NULL CHECK (sign IN (-1, 0, 1)),
    comment TEXT, correction TEXT, source TEXT, at TEXT, received_at TEXT NOT NULL);
INSERT INTO "feedback" VALUES(X'2207F1CA762191458B972748F1440A9D','a','down',-1,'no','Ground floor.',NULL,NULL,'2026-11-23T12:08:56.128Z');
INSERT INTO "feedback" VALUES(X'7A625093F81A99CE95078A62D0FF0361','zz','up',1,NULL,NULL,NULL,NULL,'2026-11-23T12:08:56.128Z');
CREATE TABLE forgotten (
    kind TEXT NOT NULL, digest TEXT NOT NULL, pseudonym TEXT NOT NULL, at TEXT NOT NULL, why TEXT,
    PRIMARY KEY (kind, digest)) WITHOUT ROWID;
INSERT INTO "forgotten" VALUES('item','c','','2026-11-23T12:09:27.914Z',NULL);
CREATE TABLE frames (
    item INTEGER NOT NULL REFERENCES items, wave INTEGER NOT NULL REFERENCES waves, stratum TEXT NOT NULL, probability REAL CHECK (probability BETWEEN 0 AND 1),
    PRIMARY KEY (item, wave)) WITHOUT ROWID;
INSERT INTO "frames" VALUES(1,1,'passed',NULL);
INSERT INTO "frames" VALUES(2,1,'passed',NULL);
INSERT INTO "frames" VALUES(3,1,'passed',NULL);
INSERT INTO "frames" VALUES(4,1,'failed',NULL);
CREATE TABLE "gold" (
    gold_id TEXT PRIMARY KEY, item INTEGER UNIQUE REFERENCES items, question TEXT, contexts TEXT, reference TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('candidate', 'accepted', 'retired')), source TEXT NOT NULL, annotator TEXT,
    updated_at TEXT NOT NULL, flag TEXT, basis TEXT, lacks_knowledge INTEGER NOT NULL DEFAULT 0, role TEXT, cluster TEXT, history TEXT);
INSERT INTO "gold" VALUES('gold-178cfccc04b3e5ae',1,NULL,NULL,'Room a is on floor 0.','accepted','an answer labelled right','ann','2026-11-23T12:09:19.179Z',NULL,'["right", "", false]',0,'calibration','gold-178cfccc04b3e5ae',NULL);
INSERT INTO "gold" VALUES('gold-fafc5143cf69c333',3,NULL,NULL,'(forgotten)','retired','written by an annotator','bob','2026-11-23T12:09:27.914Z',NULL,NULL,0,NULL,NULL,NULL);
INSERT INTO "gold" VALUES('gold-9899ca8f573da2b5',2,NULL,NULL,'Room b is on floor 1.','candidate','an answer labelled right','tester','2026-11-23T12:09:24.858Z',NULL,NULL,0,NULL,NULL,NULL);
CREATE TABLE "gold_revisions" (
    sequence INTEGER PRIMARY KEY, gold_id TEXT NOT NULL REFERENCES "gold", reference TEXT NOT NULL,
    status TEXT NOT NULL, source TEXT NOT NULL, annotator TEXT, who TEXT NOT NULL, why TEXT, at TEXT NOT NULL);
INSERT INTO "gold_revisions" VALUES(1,'gold-178cfccc04b3e5ae','Room a is on floor 0.','candidate','an answer labelled right','ann','ann',NULL,'2026-11-23T12:08:52.091Z');
INSERT INTO "gold_revisions" VALUES(2,'gold-fafc5143cf69c333','(forgotten)','candidate','written by an annotator','bob','bob',NULL,'2026-11-23T12:08:52.091Z');
INSERT INTO "gold_revisions" VALUES(3,'gold-178cfccc04b3e5ae','Room a is on floor 0.','accepted','an answer labelled right','ann','tester',NULL,'2026-11-23T12:09:19.179Z');
INSERT INTO "gold_revisions" VALUES(4,'gold-9899ca8f573da2b5','Room b is on floor 1.','candidate','an answer labelled right','tester','tester',NULL,'2026-11-23T12:09:24.858Z');
INSERT INTO "gold_revisions" VALUES(5,'gold-fafc5143cf69c333','(forgotten)','retired','written by an annotator','bob','tester','forgotten','2026-11-23T12:09:27.914Z');
CREATE TABLE guarantees (
    rule INTEGER PRIMARY KEY REFERENCES rules, precision REAL NOT NULL, confidence REAL NOT NULL, threshold REAL NOT NULL,
    n INTEGER NOT NULL, errors INTEGER NOT NULL, p_value REAL NOT NULL, labels INTEGER NOT NULL, last_wave INTEGER NOT NULL,
    at TEXT NOT NULL);
CREATE TABLE items (
    key INTEGER PRIMARY KEY, id TEXT NOT NULL, revision INTEGER NOT NULL, is_current INTEGER NOT NULL,
    content_hash BLOB NOT NULL, rest_hash BLOB NOT NULL, system TEXT, timestamp TEXT, "group" TEXT NOT NULL,
    language TEXT, question_chars INTEGER NOT NULL, contexts INTEGER NOT NULL, contexts_chars INTEGER NOT NULL,
    answer_chars INTEGER NOT NULL, ingested_at TEXT NOT NULL, forgotten_at TEXT, question TEXT NOT NULL DEFAULT '', UNIQUE (id, revision));
INSERT INTO "items" VALUES(1,'a',1,1,X'C38E064C363FF7458593FA6B4768D0D0',X'5318C3472988223E8A59C364B742A3A8','s',NULL,'question-bf1f72795b361e26',NULL,16,1,21,21,'2026-11-23T12:08:42.390Z',NULL,'question-bf1f72795b361e26');
INSERT INTO "items" VALUES(2,'b',1,1,X'DDF1BEB1C5AC15AEEAC5E1B24C188EF8',X'5318C3472988223E8A59C364B742A3A8','s',NULL,'question-fb749e0c6524e138',NULL,16,1,21,21,'2026-11-23T12:08:42.390Z',NULL,'question-fb749e0c6524e138');
INSERT INTO "items" VALUES(3,'c',1,1,X'D46024F48C2945DAA4B621977EE9D67E',X'5318C3472988223E8A59C364B742A3A8','s',NULL,'question-1e6b711588218248',NULL,16,1,21,21,'2026-11-23T12:08:42.390Z','2026-11-23T12:09:27.914Z','question-1e6b711588218248');
INSERT INTO "items" VALUES(4,'d',1,1,X'A6B117C8DC841F2B84E5C7B75F572ABA',X'5318C3472988223E8A59C364B742A3A8','s',NULL,'question-99197aa7b020db86',NULL,12,1,21,21,'2026-11-23T12:08:42.390Z',NULL,'question-99197aa7b020db86');
CREATE TABLE judges (
    key INTEGER PRIMARY KEY, judge TEXT NOT NULL, signature TEXT NOT NULL, settings TEXT NOT NULL DEFAULT '{}', UNIQUE (judge, signature));
INSERT INTO "judges" VALUES(1,'context_relevance','context_relevance|offline|v2','{}');
INSERT INTO "judges" VALUES(2,'faithfulness','faithfulness|offline|v2','{}');
INSERT INTO "judges" VALUES(3,'answer_relevance','answer_relevance|offline|v1','{}');
INSERT INTO "judges" VALUES(4,'refusal','refusal|offline|v1','{}');
CREATE TABLE labels (
    item INTEGER NOT NULL REFERENCES items, draw INTEGER REFERENCES draws, judgement TEXT NOT NULL, annotator TEXT,
    reference TEXT, causes TEXT NOT NULL, harm TEXT, rationale TEXT, at TEXT, basis TEXT NOT NULL DEFAULT '');
INSERT INTO "labels" VALUES(3,1,'wrong','bob',NULL,'[]',NULL,NULL,NULL,'one reader');
INSERT INTO "labels" VALUES(4,3,'unsure','bob',NULL,'[]',NULL,NULL,NULL,'one reader');
INSERT INTO "labels" VALUES(1,4,'right','ann',NULL,'[]',NULL,NULL,NULL,'one reader');
INSERT INTO "labels" VALUES(2,2,'right','tester',NULL,'[]',NULL,'checked','2026-11-23T12:09:24.858Z','adjudication');
CREATE TABLE people (key TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE) WITHOUT ROWID;
INSERT INTO "people" VALUES('p-3576b83089e3','assay');
INSERT INTO "people" VALUES('p-6d82d847804a','tester');
CREATE TABLE policies (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE projects (
    server TEXT NOT NULL, project INTEGER NOT NULL, form_version TEXT NOT NULL, at TEXT NOT NULL, reader TEXT NOT NULL DEFAULT '', is_in_use INTEGER NOT NULL DEFAULT 1, cursor TEXT, swept_at TEXT, size INTEGER, unread INTEGER,
    PRIMARY KEY (server, project));
CREATE TABLE quarantine (
    hash BLOB PRIMARY KEY, stage TEXT NOT NULL, source TEXT NOT NULL, line INTEGER NOT NULL, reason TEXT NOT NULL,
    raw BLOB, at TEXT NOT NULL, resolved_at TEXT);
INSERT INTO "quarantine" VALUES(X'ECC48CCA0E514B57C8EEB0DA6638FFB4','traffic','t.jsonl',5,'no JSON: Expecting property name enclosed in double quotes at character 1',X'7B6E6F74206A736F6E0A','2026-11-23T12:08:42.390Z',NULL);
CREATE TABLE release_entries (
    release TEXT NOT NULL REFERENCES releases, gold_id TEXT NOT NULL REFERENCES gold,
    revision INTEGER NOT NULL REFERENCES gold_revisions, content_hash TEXT NOT NULL, role TEXT,
    lacks_knowledge INTEGER NOT NULL, PRIMARY KEY (release, gold_id)) WITHOUT ROWID;
INSERT INTO "release_entries" VALUES('v1','gold-178cfccc04b3e5ae',3,'d63221dcb8e7df350f6288362d9c2c9e7cf027fb7807982f1afffc44c52cfaa6','calibration',0);
CREATE TABLE releases (
    name TEXT PRIMARY KEY, at TEXT NOT NULL, who TEXT NOT NULL, hash TEXT NOT NULL, entries INTEGER NOT NULL);
INSERT INTO "releases" VALUES('v1','2026-11-23T12:09:22.043Z','p-6d82d847804a','c34d535fb86857b3b2c386d233090a932405b19326e9e265829113c69e2c89f3',1);
CREATE TABLE rules (
    key INTEGER PRIMARY KEY, name TEXT NOT NULL, version INTEGER NOT NULL, expression TEXT NOT NULL,
    signatures TEXT NOT NULL, percentiles TEXT NOT NULL, is_calibrated INTEGER NOT NULL, is_in_force INTEGER NOT NULL,
    at TEXT NOT NULL, UNIQUE (name, version));
INSERT INTO "rules" VALUES(1,'default',1,'min(context_relevance, faithfulness) > 0.5','{"context_relevance": "context_relevance|offline|v2", "faithfulness": "faithfulness|offline|v2"}','{}',0,1,'2026-11-23T12:08:45.361Z');
CREATE TABLE runs (
    key INTEGER PRIMARY KEY, url TEXT NOT NULL, model TEXT NOT NULL, started_at TEXT NOT NULL, ended_at TEXT,
    stopped TEXT, canaries TEXT NOT NULL DEFAULT '[]');
CREATE TABLE scores (
    judge INTEGER NOT NULL REFERENCES judges, item INTEGER NOT NULL REFERENCES items,
    value REAL NOT NULL CHECK (value BETWEEN 0 AND 1), reason TEXT NOT NULL, seconds REAL, at TEXT NOT NULL,
    PRIMARY KEY (judge, item)) WITHOUT ROWID;
INSERT INTO "scores" VALUES(1,1,1.0,'all words of the question are found in the passages',2.97658299996328423731e-03,'2026-11-23T12:08:45.361Z');
INSERT INTO "scores" VALUES(1,2,1.0,'all words of the question are found in the passages',2.18549999772221781313e-04,'2026-11-23T12:08:45.361Z');
INSERT INTO "scores" VALUES(1,3,1.0,'',1.78705000053014373406e-04,'2026-11-23T12:08:45.361Z');
INSERT INTO "scores" VALUES(1,4,0.0,'words of the question not in the passages: lone, é, 駅',3.05392999962350586429e-04,'2026-11-23T12:08:45.361Z');
INSERT INTO "scores" VALUES(2,1,1.0,'the one sentence of the answer has a word overlap above 0.5 with the passages (1)',4.31938100018669501878e-03,'2026-11-23T12:08:45.361Z');
INSERT INTO "scores" VALUES(2,2,1.0,'the one sentence of the answer has a word overlap above 0.5 with the passages (1)',2.11326999760785838589e-04,'2026-11-23T12:08:45.361Z');
INSERT INTO "scores" VALUES(2,3,0.517449770184185,'',2.12809000004199333488e-04,'2026-11-23T12:08:45.361Z');
INSERT INTO "scores" VALUES(2,4,0.517449770184185,'the one sentence of the answer has a word overlap above 0.5 with the passages (0.517); numbers not in the passages: 1',2.01238000045123044401e-04,'2026-11-23T12:08:45.361Z');
INSERT INTO "scores" VALUES(3,1,1.0,'all words of the question are found in the answer',6.97010000294540077447e-05,'2026-11-23T12:08:45.361Z');
INSERT INTO "scores" VALUES(3,2,1.0,'all words of the question are found in the answer',3.95140000364335719496e-05,'2026-11-23T12:08:45.361Z');
INSERT INTO "scores" VALUES(3,3,1.0,'',3.91540002055990044027e-05,'2026-11-23T12:08:45.361Z');
INSERT INTO "scores" VALUES(3,4,0.0,'words of the question not in the answer: lone, é, 駅',1.20255000183533411473e-04,'2026-11-23T12:08:45.361Z');
INSERT INTO "scores" VALUES(4,1,0.0,'the answer does not refuse',4.92630001645011361688e-05,'2026-11-23T12:08:45.361Z');
INSERT INTO "scores" VALUES(4,2,0.0,'the answer does not refuse',3.85919997825112659484e-05,'2026-11-23T12:08:45.361Z');
INSERT INTO "scores" VALUES(4,3,0.0,'',3.51959997715312056243e-05,'2026-11-23T12:08:45.361Z');
INSERT INTO "scores" VALUES(4,4,0.0,'the answer does not refuse',3.57270000677090138196e-05,'2026-11-23T12:08:45.361Z');
CREATE TABLE seals (
    event INTEGER NOT NULL, kind TEXT NOT NULL, keys TEXT NOT NULL, digests BLOB NOT NULL,
    salts BLOB NOT NULL, PRIMARY KEY (event, kind)) WITHOUT ROWID;
INSERT INTO "seals" VALUES(3,'draws','[[1, 1], [2, 1], [3, 1], [4, 1]]',X'65DC0D7904419CFEA3FC0F00356D9BD30BE85913AEBAAD8A9B03A395ED63FFFB3994BA45F78FC0E04A212BB9BE7121491E15AA40A525521AA6776421C0EA0DE7524C938BBBD007CC71DE5C6B0940233871B650D5974251A2F1FBF1DD6B1A71B8E0C62AF943BBCB011E8BFC80CBE2AD609609F8F0B1E9034D903D330F4C47D224',X'9F3ADBE04A2CA1CA812F912740CEF23930A5E237D7EF622B15ADF7082E0356868A5A60D106834B77FB6EA6492FD1BF2E1F475039FD8AB2ED1E72E113F646E9A6');
INSERT INTO "seals" VALUES(3,'frames','[[1, 0]]',X'1FC5CBFC5CBEAAAABE954BAB3E289EADD9C0EC51247EA0FF5CF538A4DE52D616',X'6B1018750BCC9C18DF227DD3F727F91D');
INSERT INTO "seals" VALUES(3,'waves','[[1, 0]]',X'B063EE6F7713A8F5B77795DAD766F2F3D59333C9F02A80CE623EE85C8F3D79E3',X'5ECB1CE4104A90947CDE4B141D7EE1D0');
INSERT INTO "seals" VALUES(4,'annotations','[[1, 1], [2, 2], [3, 2], [4, 3], [5, 4]]',X'41156E65C8DD71B54E7B03DF72D6DCF7B46700CEE243746891AB26C3DE74CAD4A702B72CD54EE618EA320D1FE2DA54FCFD9752F854C33FFCBADD5FE8E7EE274B8F690FA0FAF022F8FF7252118096CFF8E827022F609D18EA56F8FFF65FBBA4BCAA4072C8DAEDA9D63CA7AEF5DDA56505C0F119CDCA052B83DBA1D9C178ACA751F020C025F8E8F72971828EC8632C2AD22E65AD9AE9D6ADAF8B23530B4239646C',X'12382EADFC3C5B56BA839633570E708A328D273CE27BA6776F90BC7F6DA0DE41CB0EA06CD3C78A461704EC92AC2A5F77000000000000000000000000000000000BABB16915AB4F0EBF90DA7843834625');
INSERT INTO "seals" VALUES(4,'gold','[["gold-178cfccc04b3e5ae", 0], ["gold-fafc5143cf69c333", 0]]',X'F7EB1AAA6887413BC7C2360AA52B14D79EEAFA4EC5E0CCE100AF9F075CC1DFB1774A264AF37C3AA74434B2312BEB50D3BFE5F93C7AFDDCC25B2FE78C0E3D5571',X'0000000000000000000000000000000000000000000000000000000000000000');
INSERT INTO "seals" VALUES(4,'gold_revisions','[[1, "gold-178cfccc04b3e5ae"], [2, "gold-fafc5143cf69c333"]]',X'92CEF8A4777B232BE9B33A150951AADC8D6D49F0EA0E309A620A50FCA9AA3554F996BC9EDA4034246538DF721665650618A2D29B583C2B396375E69BFCC68218',X'018778ECC780920021CE4BE90BF80F8E00000000000000000000000000000000');
INSERT INTO "seals" VALUES(4,'labels','[[3, 1], [4, 3], [1, 4], [2, 2]]',X'1495FE4B7CD7FD9C12581085BD6C5263C5B73E392DEB6F8411C4041B818963683CD97B62D258E7444B4FDE26D3AA4B1A1AF48C501FAA4E8AB95797BD4ABAD52F96715A4867E644218B790658270969F13B16390C1870434447C679A6880FA5E38965FC528B50D560D88E4A9081DAED4965E5CDB410448E4617596FF06CFB02EC',X'000000000000000000000000000000001BFCACAD51964136F24DC1494ABD1A067B4778473898A757F5E182C334164CFE00000000000000000000000000000000');
INSERT INTO "seals" VALUES(7,'gold','[["gold-178cfccc04b3e5ae", 0]]',X'9DE7CA3BEAB6AC731007A4C3CC478DDBE038162EE69C0DA2D0DE00BC0BAA4E88',X'00000000000000000000000000000000');
INSERT INTO "seals" VALUES(7,'gold_revisions','[[3, "gold-178cfccc04b3e5ae"]]',X'1F7D96241E9CF4ECDE8DF0F34195CB136B361C0854B27C9824F28A24C199F57B',X'0AE5230815E201CD9997E15D6E1A9379');
INSERT INTO "seals" VALUES(8,'gold','[["gold-178cfccc04b3e5ae", 0]]',X'ADD4D44F5FC9D724993563559871BBA5A582DEB0CB9FEC2C634C3D56D387CAFD',X'EAFE224D2630D3B6B93D9AE291C33683');
INSERT INTO "seals" VALUES(9,'annotations','[[6, 2]]',X'026CF58BA5336B019072CC3B00E30E218E57E990E508D1A185978EA6D9959F49',X'0B6816357C5AEE1E560547FA5592CB37');
INSERT INTO "seals" VALUES(9,'gold','[["gold-9899ca8f573da2b5", 0]]',X'33494A3C5932926BC898AD0FEB4C5EC7D542B24FF1A641017E79891A4CDB0CC9',X'FDCB7AD3FBDA057505A2CBB5D781E7B3');
INSERT INTO "seals" VALUES(9,'gold_revisions','[[4, "gold-9899ca8f573da2b5"]]',X'193462D19A8C359370B391C2CB4DCF1086F2D7D1402AA4E0D543B25037458296',X'5BD6480A422231F9D0B17D77630E397D');
INSERT INTO "seals" VALUES(9,'labels','[[2, 2]]',X'18393CF0DDCC952E92315F04AE8AD49E6BB415245CDE970EB9F64C7BC448BC1E',X'52CCF983753779A2CF632380C26B5658');
INSERT INTO "seals" VALUES(10,'annotations','[[4, 3]]',X'67CDFE6B7B1AAE4E7A15565A8A471C228DF0CF3E35B7F84B37FCD070521623D5',X'7DFA94F59661ADDFFD9C0F4A5B15DAAE');
INSERT INTO "seals" VALUES(10,'gold','[["gold-fafc5143cf69c333", 0]]',X'C95B6E922302AEB777AC0499BAF7DCB58F50B269CB7C7614947EBBA4932629C3',X'2FF7E37C1C87D5C082CDF8C233052971');
INSERT INTO "seals" VALUES(10,'gold_revisions','[[2, "gold-fafc5143cf69c333"], [5, "gold-fafc5143cf69c333"]]',X'0E6058AD18BF356CB868C1025A5EF25FBD753DA0F20CDB09A47D141841CC79424EED75AAF34228C8FDCEED14F23145ACD894A9B5603C17E2191FC0ECDE710A19',X'CD1ACD0EB62D68D2B69505E5E78D44B648BCABD928646D7027566219DA3314D6');
INSERT INTO "seals" VALUES(10,'labels','[[3, 1]]',X'880E493AA7A663DBFF445CD6F0BA8685D69236944612633B111F8D150B66D320',X'CA7C9D5B514A4102842F6CCCFC053370');
CREATE TABLE second_readings (
    draw INTEGER PRIMARY KEY REFERENCES draws, who TEXT NOT NULL REFERENCES people, at TEXT NOT NULL);
CREATE TABLE strata (
    wave INTEGER NOT NULL REFERENCES waves, stratum TEXT NOT NULL, size INTEGER NOT NULL, drawn INTEGER NOT NULL, is_fixed INTEGER NOT NULL DEFAULT 1,
    PRIMARY KEY (wave, stratum)) WITHOUT ROWID;
INSERT INTO "strata" VALUES(1,'failed',1,1,1);
INSERT INTO "strata" VALUES(1,'passed',3,3,1);
CREATE TABLE "tasks" (
    draw INTEGER NOT NULL REFERENCES draws, server TEXT NOT NULL, project INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('queued', 'confirmed', 'withdrawn')), task_id INTEGER, at TEXT NOT NULL,
    seen TEXT, PRIMARY KEY (draw, server, project)) WITHOUT ROWID;
CREATE TABLE texts (
    key INTEGER PRIMARY KEY REFERENCES items, question TEXT NOT NULL, contexts TEXT NOT NULL,
    context_details TEXT NOT NULL, answer TEXT NOT NULL, history TEXT NOT NULL, reference TEXT, metadata TEXT NOT NULL);
INSERT INTO "texts" VALUES(1,'Where is room a?','["Room a is on floor 0."]','[]','Room a is on floor 0.','[]',NULL,'{}');
INSERT INTO "texts" VALUES(2,'Where is room b?','["Room b is on floor 1."]','[]','Room b is on floor 1.','[]',NULL,'{}');
INSERT INTO "texts" VALUES(3,'(forgotten)','["(forgotten)"]','[]','(forgotten)','[]',NULL,'{}');
INSERT INTO "texts" VALUES(4,X'6C6F6E6520EDA0802C20C3A920E9A7853F','["Room d is on floor 3."]','[]','Room d is on floor 1.','[]',NULL,'{}');
CREATE TABLE verdicts (
    rule INTEGER NOT NULL REFERENCES rules, item INTEGER NOT NULL REFERENCES items, value REAL NOT NULL,
    verdict TEXT NOT NULL CHECK (verdict IN ('pass', 'fail')), PRIMARY KEY (rule, item)) WITHOUT ROWID;
INSERT INTO "verdicts" VALUES(1,1,1.0,'pass');
INSERT INTO "verdicts" VALUES(1,2,1.0,'pass');
INSERT INTO "verdicts" VALUES(1,3,0.517449770184185,'pass');
INSERT INTO "verdicts" VALUES(1,4,0.0,'fail');
CREATE TABLE versions (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO "versions" VALUES('items',1048626771709745896);
INSERT INTO "versions" VALUES('scores',8869482705661780353);
INSERT INTO "versions" VALUES('waves',-4641216063917487787);
CREATE TABLE waves (
    key INTEGER PRIMARY KEY, rule INTEGER NOT NULL REFERENCES rules, seed INTEGER NOT NULL, salt TEXT NOT NULL,
    labels INTEGER NOT NULL, audit REAL NOT NULL, at TEXT NOT NULL, design TEXT NOT NULL DEFAULT 'stratified', part TEXT, is_by_group INTEGER NOT NULL DEFAULT 0);
INSERT INTO "waves" VALUES(1,1,1,'seed-1-wave-1',4,0.25,'2026-11-23T12:08:48.540Z','stratified',NULL,0);
CREATE UNIQUE INDEX "idx__sqlite_migrations_migration_set_name"
    ON "_sqlite_migrations" ("migration_set", "name");
CREATE INDEX feedback_item ON feedback (item_id, sign);
CREATE INDEX annotations_identity ON annotations (source, id, sequence);
CREATE INDEX annotations_item ON annotations (item, draw);
CREATE UNIQUE INDEX labels_one ON labels (item, draw IS NULL);
CREATE INDEX labels_draw ON labels (draw);
CREATE INDEX attempts_open ON attempts (item, judges, step) WHERE is_open;
CREATE INDEX attempts_run ON attempts (run);
CREATE INDEX tasks_project ON tasks (server, project, state);
CREATE INDEX gold_revisions_of ON gold_revisions (gold_id, sequence);
CREATE INDEX causes_item ON causes (item, sequence);
CREATE TRIGGER releases_update BEFORE UPDATE ON releases BEGIN SELECT RAISE(ABORT, 'releases are never changed'); END;
CREATE TRIGGER releases_delete BEFORE DELETE ON releases BEGIN SELECT RAISE(ABORT, 'releases are never changed'); END;
CREATE TRIGGER release_entries_update BEFORE UPDATE ON release_entries BEGIN SELECT RAISE(ABORT, 'release_entries are never changed'); END;
CREATE TRIGGER release_entries_delete BEFORE DELETE ON release_entries BEGIN SELECT RAISE(ABORT, 'release_entries are never changed'); END;
CREATE TRIGGER events_update BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;
CREATE TRIGGER events_delete BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;
COMMIT;
