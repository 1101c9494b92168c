/** States of groups that sites' jobs publish, and how a job without flows merges them. */
package org.flowmon.jobs.site;
