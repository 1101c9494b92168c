/** What a cluster runs of the job's jar: the command line that says which job it is to be. */
package org.flowmon.jobs.main;
