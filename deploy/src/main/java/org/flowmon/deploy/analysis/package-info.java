/**
 * flowmon analyses: the files that say what is analysed, checked, listed, and changed in a job that
 * runs.
 */
package org.flowmon.deploy.analysis;
