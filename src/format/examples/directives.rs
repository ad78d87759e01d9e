//! Examples of the rules about directives: one text that breaks none of them, and for each rule the change that breaks it.

use super::Base::Directive;
use super::Example;
use crate::format::{Rule, rules};

const fn directive(rule: &'static Rule, asked_by: &'static str, good: &'static str, bad: &'static str) -> Example {
    Example { rule, asked_by, base: Directive, good, bad, make: None }
}

/// The examples, in the order of the rules.
pub(super) const ALL: &[Example] = &[
    directive(&rules::NO_FENCE, "002", "```xml\n<directive name", "```html\n<directive name"),
    directive(
        &rules::MANY_FENCES,
        "001 structure, 002",
        "</directive>\n```\n",
        "</directive>\n```\n\n```xml\n<directive name=\"deploy_staging\" version=\"1.0.0\"></directive>\n```\n",
    ),
    directive(&rules::UNCLOSED_FENCE, "§2.1", "</directive>\n```\n\n<process>", "</directive>\n\n<process>"),
    directive(&rules::MALFORMED_XML, "§2.1", "<author>ada</author>", "<author>ada</autor>"),
    directive(
        &rules::UNKNOWN_ELEMENT,
        "000 #11, 001 #9, 002",
        "    <context>\n      <depends_on>demo/build_images</depends_on>\n    </context>",
        "    <depends_on>demo/build_images</depends_on>",
    ),
    directive(
        &rules::UNKNOWN_ATTRIBUTE,
        "§2.1",
        "<input name=\"note\" type=\"string\">",
        "<input name=\"note\" type=\"string\" optional=\"true\">",
    ),
    directive(
        &rules::STRAY_TEXT,
        "§2.1",
        "  <metadata>\n    <description>",
        "  <metadata>\n    Everything about it.\n    <description>",
    ),
    directive(
        &rules::REPEATED_ELEMENT,
        "001 structure",
        "<category>demo</category>",
        "<category>demo</category>\n    <category>demo</category>",
    ),
    directive(
        &rules::MISSING_ATTRIBUTE,
        "000 #1, 000 #5, 000 #8, 001 #1, 001 #4, 001 #7, 002",
        "<context estimated_usage=\"low\" turns=\"5\" spawn_threshold=\"3\">",
        "<context spawn_threshold=\"3\">",
    ),
    directive(
        &rules::MISSING_ELEMENT,
        "000 #2, 000 #8, 000 cost tracking, 001 #2, 001 #7, 001 cost tracking, 002",
        "<category>demo</category>\n    <author>ada</author>",
        "<category>demo</category>",
    ),
    directive(&rules::BAD_VERSION, "000 #4, 001 #3", "version=\"1.0.0\"", "version=\"v1.0\""),
    directive(&rules::BAD_VALUE, "§2.5", "turns=\"10\"", "turns=\"ten\""),
    directive(&rules::NAME_NOT_ID, "000 name, 001 name", "name=\"deploy_staging\"", "name=\"deploy_stage\""),
    directive(&rules::NAME_NOT_SNAKE, "000 naming, 001 naming", "name=\"deploy_staging\"", "name=\"DeployStaging\""),
    directive(
        &rules::CATEGORY_NOT_FOLDER,
        "000 #6, 001 #5, 001 structure",
        "<category>demo</category>",
        "<category>workflows</category>",
    ),
    directive(
        &rules::DUPLICATE_NAME,
        "001 #11",
        "<input name=\"replicas\" type=\"integer\" default=\"2\">",
        "<input name=\"service\" type=\"integer\" default=\"2\">",
    ),
    directive(&rules::BAD_DEFAULT, "§2.3", "type=\"integer\" default=\"2\"", "type=\"integer\" default=\"two\""),
    directive(&rules::UNDECLARED_INPUT, "§2.3", "Scale {input:service}", "Scale {input:servcie}"),
    directive(&rules::MALFORMED_PLACEHOLDER, "§2.3", "Scale {input:service}", "Scale {input: service}"),
    directive(&rules::OPTIONAL_WITHOUT_DEFAULT, "§2.3", "{input:note?}", "{input:note}"),
    directive(&rules::NO_TITLE, "002", "# Deploy to staging\n", "Deploy to staging\n"),
    directive(
        &rules::EMPTY_PROCESS,
        "§2.2",
        "\n\n<process>\n  <step name=\"read_plan\">\n    <description>Read the plan of {input:service}.</description>\n    <execute item_type=\"tool\" item_id=\"rye/file-system/read\">\n      <param name=\"path\" value=\"k8s/{input:service}.yaml\" />\n    </execute>\n  </step>\n  <step name=\"look\">\n    Scale {input:service} to {input:replicas}, and remark on it: {input:note?}\n    <execute item_type=\"tool\" item_id=\"rye/shell/kubectl\">\n      <param name=\"command\" value=\"get\" />\n    </execute>\n  </step>\n  <step name=\"sign_report\">\n    <sign item_type=\"knowledge\" item_id=\"demo/report\" />\n  </step>\n</process>\n\n<success_criteria>\n  <criterion>{input:service} answers with status 200 at its address</criterion>\n</success_criteria>\n",
        "\n\n",
    ),
    directive(&rules::MALFORMED_TAG, "§2.2", "<step name=\"look\">", "<step name=\"look>"),
    directive(
        &rules::UNCLOSED_TAG,
        "§2.2",
        "      <param name=\"command\" value=\"get\" />\n    </execute>",
        "      <param name=\"command\" value=\"get\" />",
    ),
    directive(
        &rules::ACTION_OUTSIDE_STEP,
        "§2.2",
        "  <step name=\"sign_report\">\n    <sign item_type=\"knowledge\" item_id=\"demo/report\" />\n  </step>",
        "  <sign item_type=\"knowledge\" item_id=\"demo/report\" />",
    ),
    directive(
        &rules::BAD_ACTION,
        "§2.2",
        "<sign item_type=\"knowledge\" item_id=\"demo/report\" />",
        "<sign item_type=\"knowledge\" />",
    ),
    directive(&rules::UNUSED_INPUT, "§2.3", "remark on it: {input:note?}", "remark on it"),
    directive(&rules::OUTPUT_FROM, "§2.4", "from=\"look.address\"", "from=\"lok.address\""),
    directive(
        &rules::NO_MODEL,
        "000 #3, 001 #2, 002",
        "<author>ada</author>\n    <model tier=\"orchestrator\" fallback=\"general\" />",
        "<author>ada</author>",
    ),
    directive(
        &rules::NO_PERMISSIONS,
        "000 #3, 001 #2, 002",
        "    <permissions>\n      <execute>\n        <tool>rye.file-system.read</tool>\n        <tool>rye.shell.kubectl</tool>\n        <tool>mcp.cluster.pods.*</tool>\n      </execute>\n      <sign>\n        <knowledge>demo/*</knowledge>\n      </sign>\n      <read resource=\"filesystem\" path=\"k8s/**\" />\n      <acknowledge risk=\"elevated\">Deploying needs the cluster's own command.</acknowledge>\n    </permissions>\n",
        "    <!-- no permissions -->\n",
    ),
    directive(
        &rules::NO_BUDGET,
        "000 #3, 001 #2, 002",
        "    <limits turns=\"10\" tokens=\"100000\" />\n    <permissions>\n      <execute>\n        <tool>rye.file-system.read</tool>\n        <tool>rye.shell.kubectl</tool>\n        <tool>mcp.cluster.pods.*</tool>\n      </execute>\n      <sign>\n        <knowledge>demo/*</knowledge>\n      </sign>\n      <read resource=\"filesystem\" path=\"k8s/**\" />\n      <acknowledge risk=\"elevated\">Deploying needs the cluster's own command.</acknowledge>\n    </permissions>\n    <cost>\n      <context estimated_usage=\"low\" turns=\"5\" spawn_threshold=\"3\">8000</context>\n      <duration>600</duration>\n      <spend currency=\"USD\">0.50</spend>\n    </cost>\n",
        "    <permissions>\n      <execute>\n        <tool>rye.file-system.read</tool>\n        <tool>rye.shell.kubectl</tool>\n        <tool>mcp.cluster.pods.*</tool>\n      </execute>\n      <sign>\n        <knowledge>demo/*</knowledge>\n      </sign>\n      <read resource=\"filesystem\" path=\"k8s/**\" />\n      <acknowledge risk=\"elevated\">Deploying needs the cluster's own command.</acknowledge>\n    </permissions>\n",
    ),
    directive(&rules::LIMITS_CONFLICT, "§2.5", "turns=\"10\"", "turns=\"10\" max_turns=\"12\""),
    directive(
        &rules::PURE_XML,
        "001 #12, 001 structure, 002",
        "    <output name=\"address\" from=\"look.address\">Where it answers</output>\n  </outputs>\n",
        "    <output name=\"address\" from=\"look.address\">Where it answers</output>\n  </outputs>\n  <process><step name=\"go\">Go.</step></process>\n",
    ),
    directive(&rules::KEBAB_NAME, "000 naming, 001 naming", "name=\"deploy_staging\"", "name=\"deploy-staging\""),
    directive(
        &rules::LEGACY_OUTPUTS,
        "§2.4",
        "<output name=\"address\" from=\"look.address\">Where it answers</output>",
        "<success>It is deployed</success>",
    ),
    directive(
        &rules::UNREAD_CALL,
        "§2.2",
        "Scale {input:service}",
        "Use `rye_execute(item_type=\"tool\")` and scale {input:service}",
    ),
    directive(
        &rules::BAD_HOOK,
        "§2.11",
        "        <when>cost.current > cost.limit * 0.9</when>\n        <execute item_type=\"directive\">demo/warn</execute>",
        "        <when>cost.current > cost.limit * 0.9</when>",
    ),
    directive(&rules::BAD_CONDITION, "000 #12, 001 #10", "cost.current > cost.limit * 0.9", "cost.curent > 0.9"),
    directive(&rules::BAD_VARIABLE, "§2.11", "${cost.current}", "${cost.so_far}"),
    directive(&rules::DOER_NAME, "000 naming, 001 naming", "name=\"deploy_staging\"", "name=\"staging_handler\""),
    directive(
        &rules::DESCRIPTION_LINES,
        "000 descriptions, 001 description",
        "<description>Deploy a service to staging and check that it answers</description>",
        "<description>\n      Deploy a service to staging\n      and check that it answers\n    </description>",
    ),
    directive(
        &rules::DESCRIPTION_MOOD,
        "000 descriptions, 001 description",
        "<description>Deploy a service",
        "<description>Deploys a service",
    ),
    directive(
        &rules::DESCRIPTION_IS_NAME,
        "000 descriptions",
        "<description>Deploy a service to staging and check that it answers</description>",
        "<description>Deploy staging</description>",
    ),
    directive(
        &rules::VAGUE_CRITERION,
        "001 structure",
        "<criterion>{input:service} answers with status 200 at its address</criterion>",
        "<criterion>It works</criterion>",
    ),
    directive(
        &rules::HOW_NOT_WHAT,
        "002",
        "Scale {input:service} to",
        "`rye_execute(item_type=\"tool\", item_id=\"rye/shell/kubectl\")` for {input:service} and",
    ),
    directive(
        &rules::SIGN_LAST,
        "001 structure",
        "  <step name=\"look\">\n    Scale {input:service} to {input:replicas}, and remark on it: {input:note?}\n    <execute item_type=\"tool\" item_id=\"rye/shell/kubectl\">\n      <param name=\"command\" value=\"get\" />\n    </execute>\n  </step>\n  <step name=\"sign_report\">\n    <sign item_type=\"knowledge\" item_id=\"demo/report\" />\n  </step>\n",
        "  <step name=\"sign_report\">\n    <sign item_type=\"knowledge\" item_id=\"demo/report\" />\n  </step>\n  <step name=\"look\">\n    Scale {input:service} to {input:replicas}, and remark on it: {input:note?}\n    <execute item_type=\"tool\" item_id=\"rye/shell/kubectl\">\n      <param name=\"command\" value=\"get\" />\n    </execute>\n  </step>\n",
    ),
    directive(
        &rules::NO_FALLBACK,
        "000 model selection, 001 model selection",
        "<model tier=\"orchestrator\" fallback=\"general\" />",
        "<model tier=\"orchestrator\" />",
    ),
    directive(
        &rules::NO_SPEND,
        "000 cost tracking, 001 cost tracking",
        "      <duration>600</duration>\n      <spend currency=\"USD\">0.50</spend>\n",
        "      <duration>600</duration>\n",
    ),
    directive(
        &rules::NO_SPAWN_THRESHOLD,
        "000 cost tracking, 001 cost tracking",
        "turns=\"5\" spawn_threshold=\"3\">",
        "turns=\"5\">",
    ),
    directive(
        &rules::EMPTY_OUTPUTS,
        "000 #9, 002",
        "  <outputs>\n    <output name=\"address\" from=\"look.address\">Where it answers</output>\n  </outputs>",
        "  <outputs></outputs>",
    ),
    directive(
        &rules::GENERAL_BASE,
        "002",
        "<directive name=\"deploy_staging\" version=\"1.0.0\">",
        "<directive name=\"deploy_staging\" version=\"1.0.0\" extends=\"agent/core/base\">",
    ),
    directive(
        &rules::CONTINUATION,
        "§2.9",
        "  </metadata>\n  <inputs>",
        "    <continuation_directive>demo/next</continuation_directive>\n  </metadata>\n  <inputs>",
    ),
    directive(&rules::BAD_PATTERN, "001 #8", "<tool>rye.shell.kubectl</tool>", "<tool>rye.shell.kubectl get</tool>"),
    directive(&rules::BAD_PATH, "000 #10", "path=\"k8s/**\"", "path=\"../k8s/**\""),
    directive(
        &rules::EMPTY_PERMISSIONS,
        "000 #7, 001 #6",
        "      <sign>\n        <knowledge>demo/*</knowledge>\n      </sign>",
        "      <sign></sign>",
    ),
    directive(
        &rules::ELEVATED,
        "000 permissions",
        "<acknowledge risk=\"elevated\">Deploying needs the cluster's own command.</acknowledge>",
        "<!-- Deploying needs the cluster's own command. -->",
    ),
    directive(
        &rules::UNRESTRICTED,
        "000 permissions, 001 structure",
        "<tool>rye.shell.kubectl</tool>",
        "<tool>*</tool>",
    ),
    directive(&rules::BAD_ACKNOWLEDGE, "§2.6", "<acknowledge risk=\"elevated\">", "<acknowledge risk=\"high\">"),
    directive(
        &rules::LEGACY_PERMISSION,
        "003",
        "        <tool>mcp.cluster.pods.*</tool>\n      </execute>",
        "        <tool>mcp.cluster.pods.*</tool>\n      </execute>\n      <cap>rye.search.directive.*</cap>",
    ),
    directive(
        &rules::LEGACY_ACKNOWLEDGE,
        "§2.6",
        "<acknowledge risk=\"elevated\">Deploying",
        "<acknowledge>elevated: Deploying",
    ),
    directive(&rules::FORMER_NAME, "§2.6", "<tool>rye.file-system.read</tool>", "<tool>rye.file-system.fs_read</tool>"),
    directive(
        &rules::WHOLE_CAPABILITY,
        "§2.6",
        "<tool>rye.file-system.read</tool>",
        "<tool>rye.execute.tool.rye.file-system.read</tool>",
    ),
    directive(&rules::BAD_RESOURCE, "§2.6", "<read resource=\"filesystem\"", "<read resource=\"network\""),
    directive(
        &rules::COVERED_TWICE,
        "000 permissions, 001 structure",
        "<tool>rye.file-system.read</tool>",
        "<tool>rye.file-system.read</tool>\n        <tool>rye.file-system.*</tool>",
    ),
    directive(&rules::WHOLE_SERVER, "002", "<tool>mcp.cluster.pods.*</tool>", "<tool>mcp.cluster.*</tool>"),
    directive(&rules::NOT_PERMITTED, "§2.6", "<tool>rye.shell.kubectl</tool>", "<tool>rye.shell.docker</tool>"),
    directive(
        &rules::SEARCH_OF_ONE,
        "§2.6",
        "</sign>",
        "</sign>
      <search>
        <knowledge>demo/report</knowledge>
      </search>",
    ),
];
