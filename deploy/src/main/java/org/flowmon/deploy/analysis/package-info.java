/**
 * flowmon analyses: checks and lists the files that define analyses, and changes them in a running
 * job.
 */
package org.flowmon.deploy.analysis;
